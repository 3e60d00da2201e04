/** The flights of an operator as a report: every flight ends as a row, or with the reason why not. */
import type { DuckDb } from '@contrails/formats';
import { generationOfTimes, type Met, type WeatherOrigin } from '@contrails/met';
import { EFFECTIVE_OVER_RADIATIVE } from '@contrails/physics/cocip';
import type { TrajectoryServices } from '../flights/compute.ts';
import { climateOptionsOf } from '../flights/flight-climate.ts';
import type { TrajectoryOptions } from '../flights/options.ts';
import { inventoryOptions } from '../inventory/settings.ts';
import { MODELING_VERSION } from '../modeling-version.ts';
import type { HumidityScalingChoice } from '../weather/humidity-scaling.ts';
import { type EvaluatedFlight, evaluateFlights, fuelDiffers } from './evaluate.ts';
import { type FlightRow, flightRow, nonCo2Kg } from './flight-row.ts';
import {
  EFFECT_GROUPS,
  type EffectGroup,
  type FlightInputs,
  type PreparedFlight,
  prepareInputs,
  withoutGroup,
} from './inputs.ts';
import type { MethodParameters } from './methods.ts';
import { type OperatorFlight, readOperatorFlights, readTracks, type Track } from './operator-tables.ts';
import { exclusionOf, routeOf, type ScopeRequest } from './scope.ts';
import type { MrvSettings } from './settings.ts';
import type { ExcludedRow } from './summary.ts';

export interface ReportInputs {
  readonly flights: string;
  readonly trajectories: string | undefined;
}

export interface ReportServices extends TrajectoryServices {
  readonly duckdb: DuckDb;
}

export interface ReportSettings extends MrvSettings {
  readonly scaling: HumidityScalingChoice;
}

export interface ReportHooks {
  readonly signal?: AbortSignal | undefined;
  /** With the number of runs of flights that are done, and of all. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface WeatherUse {
  readonly source: string;
  readonly provider: string;
  readonly dataset: string;
  readonly product: string;
  readonly from: string;
  readonly to: string;
  /** Start of the forecast; null for a reanalysis. */
  readonly reference_time: string | null;
  /** Names the data behind these times: the same wherever they are copied to. */
  readonly id: string;
}

export interface Report {
  readonly rows: readonly FlightRow[];
  readonly excluded: readonly ExcludedRow[];
  /** Waypoints at whole minutes of each reported flight. */
  readonly tracks: readonly { readonly key: string; readonly track: Track }[];
  readonly weather: readonly WeatherUse[];
}

/** How the models run for a report. */
function reportOptions(scaling: HumidityScalingChoice): TrajectoryOptions {
  return { ...inventoryOptions(scaling), includes: ['performance', 'emissions', 'climate'] };
}

/** The parameters that decide the numbers. */
export function reportParameters(scaling: HumidityScalingChoice): MethodParameters {
  const options = reportOptions(scaling);
  const { functions, set } = climateOptionsOf(options);
  return {
    modeling_version: MODELING_VERSION,
    humidity_scaling: scaling,
    max_age_hours: options.maxAgeHours,
    dt_integration_minutes: options.dtIntegrationMinutes,
    resample_s: 60,
    accf_v: functions.version,
    co2e_set: set,
    efficacy: EFFECTIVE_OVER_RADIATIVE,
  };
}

/** `only`: the keys of the flights to compute; all others are left out. */
export async function computeReport(
  services: ReportServices,
  inputs: ReportInputs,
  request: ScopeRequest,
  settings: ReportSettings,
  hooks: ReportHooks = {},
  only?: ReadonlySet<string>,
): Promise<Report> {
  const supplied = await readOperatorFlights(services.duckdb, inputs.flights);
  const tracks =
    inputs.trajectories === undefined
      ? new Map<string, Track>()
      : await readTracks(services.duckdb, inputs.trajectories, only);
  const excluded: ExcludedRow[] = [];
  const prepared: PreparedFlight[] = [];
  for (const flight of supplied) {
    if (only !== undefined && !only.has(flight.key)) continue;
    const route = routeOf(flight);
    const exclusion = exclusionOf(flight, route, request, settings);
    if (exclusion !== undefined) {
      excluded.push(excludedRow(flight, exclusion.kind, exclusion.reason));
      continue;
    }
    const ready = prepareInputs(flight, route, tracks.get(flight.key));
    if (typeof ready === 'string') excluded.push(excludedRow(flight, 'not_computed', ready));
    else prepared.push(ready);
  }
  const options = reportOptions(settings.scaling);
  const reruns = EFFECT_GROUPS.map((group) => ({
    group,
    flights: prepared
      .filter(({ provenance }) => provenance[group] === 'primary')
      .map((flight) => withoutGroup(flight.inputs, group)),
  }));
  const total = prepared.length + reruns.reduce((sum, { flights }) => sum + flights.length, 0);
  let done = 0;
  const run = (flights: readonly FlightInputs[]) =>
    evaluateFlights(services, flights, options, {
      signal: hooks.signal,
      onFlights: (count) => {
        done += count;
        hooks.onProgress?.(done, total);
      },
    });
  const evaluated = await run(prepared.map(({ inputs: flight }) => flight));
  const replaced = new Map<EffectGroup, ReadonlyMap<string, EvaluatedFlight | string>>();
  for (const { group, flights } of reruns) replaced.set(group, await run(flights));
  const rows: FlightRow[] = [];
  const used: Report['tracks'][number][] = [];
  const origins: { readonly origin: WeatherOrigin; readonly track: Track }[] = [];
  for (const flight of prepared) {
    const result = evaluated.get(flight.operator.key);
    if (result === undefined || typeof result === 'string') {
      excluded.push(excludedRow(flight.operator, 'not_computed', result ?? 'no_weather'));
      continue;
    }
    const effects = Object.fromEntries(
      [...replaced].flatMap(([group, results]) => {
        const without = results.get(flight.operator.key);
        const isUsed = group !== 'fuel_flow' || !result.findings.includes('fuel_burn_implausible');
        return without === undefined || typeof without === 'string' || !isUsed
          ? []
          : [[group, nonCo2Kg(result) - nonCo2Kg(without)]];
      }),
    );
    rows.push(flightRow(withFuelFinding(flight, result), result, effects));
    used.push({ key: flight.operator.key, track: result.track });
    if (result.origin !== undefined) origins.push({ origin: result.origin, track: result.track });
  }
  const met = await services.met.open();
  return { rows, excluded, tracks: used, weather: await weatherOf(met, origins, options.maxAgeHours) };
}

/** Given fuel flow is only compared with the fuel burn beside it. */
function withFuelFinding(flight: PreparedFlight, { balance }: EvaluatedFlight): PreparedFlight {
  const { fuelBurnKg } = flight.operator;
  const hasBoth = fuelBurnKg !== null && flight.inputs.fuelBurnKg === undefined;
  if (!hasBoth || !fuelDiffers(balance.fuelKg, fuelBurnKg)) return flight;
  return { ...flight, findings: [...flight.findings, 'fuel_burn_differs'] };
}

function excludedRow(flight: OperatorFlight, kind: ExcludedRow['kind'], reason: string): ExcludedRow {
  return {
    flight_key: flight.key,
    callsign: flight.callsign,
    departure_airport: flight.departureAirport,
    arrival_airport: flight.arrivalAirport,
    departure_time: new Date(flight.departureMs).toISOString().replace('.000Z', 'Z'),
    kind,
    reason,
  };
}

const HOUR_MS = 3_600_000;

/** The weather that flights and their contrails saw, by source and run. */
async function weatherOf(
  met: Pick<Met, 'catalogue'>,
  seen: readonly { readonly origin: WeatherOrigin; readonly track: Track }[],
  maxAgeHours: number,
): Promise<WeatherUse[]> {
  const spans = new Map<string, { readonly origin: WeatherOrigin; from: number; to: number }>();
  for (const { origin, track } of seen) {
    const key = `${origin.name} ${origin.referenceTime ?? ''}`;
    const [first, last] = [track.timeMs[0] as number, track.timeMs.at(-1) as number];
    const known = spans.get(key) ?? { origin, from: first, to: last };
    known.from = Math.min(known.from, first);
    known.to = Math.max(known.to, last + maxAgeHours * HOUR_MS);
    spans.set(key, known);
  }
  return Promise.all(
    [...spans.values()].map(async ({ origin, from, to }) => {
      const use = {
        source: origin.name,
        provider: origin.provider,
        dataset: origin.dataset,
        product: origin.product,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        reference_time:
          origin.referenceTime === undefined ? null : new Date(origin.referenceTime).toISOString(),
      };
      return { ...use, id: (await weatherIdOf(met, use)) ?? origin.generation };
    }),
  );
}

/** What the configured sources have behind the times of a report; undefined where they do not have the source or run. */
export async function weatherIdOf(
  met: Pick<Met, 'catalogue'>,
  { source: name, reference_time: reference, from, to }: Omit<WeatherUse, 'id'>,
): Promise<string | undefined> {
  const found = (await met.catalogue.list()).find(({ source }) => source.name === name);
  if (found === undefined || !('description' in found)) return undefined;
  const referenceMs = reference === null ? undefined : Date.parse(reference);
  const run = found.description.runs.find(({ referenceTime }) => referenceTime === referenceMs);
  return run && generationOfTimes(found.description, run, [Date.parse(from), Date.parse(to)]);
}
