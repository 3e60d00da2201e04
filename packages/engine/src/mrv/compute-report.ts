/** The flights of an operator as a report: every flight ends as a row, or with the reason why not. */
import type { DuckDb } from '@contrails/formats';
import { generationOfTimes, type Met, type WeatherOrigin } from '@contrails/met';
import { EFFECTIVE_OVER_RADIATIVE } from '@contrails/physics/cocip';
import type { AccfSettings } from '../flights/accf-settings.ts';
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
  hasEffect,
  type PreparedFlight,
  type Provenance,
  prepareInputs,
  withoutGroup,
} from './inputs.ts';
import type { MethodParameters } from './methods.ts';
import { type OperatorFlight, readOperatorFlights, readTracks, type Track } from './operator-tables.ts';
import { exclusionOf, routeOf, type ScopeRequest } from './scope.ts';
import type { MrvSettings } from './settings.ts';
import type { ExcludedRow } from './summary.ts';
import { flightOfLeg, matchLegs, readLegs } from './telemetry.ts';

/** Files of the operator, and legs of the telemetry with their minutes; at least flights or telemetry. */
export interface ReportInputs {
  readonly flights?: string | undefined;
  readonly trajectories?: string | undefined;
  readonly telemetry?: string | undefined;
  readonly minutes?: string | undefined;
}

export interface ReportServices extends TrajectoryServices {
  readonly duckdb: DuckDb;
}

/** What the models run with. */
interface ModelSettings {
  readonly scaling: HumidityScalingChoice;
  readonly accf: AccfSettings;
}

export interface ReportSettings extends MrvSettings, ModelSettings {}

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
  readonly tracks: readonly {
    readonly key: string;
    readonly track: Track;
    readonly provenance: Provenance;
  }[];
  readonly weather: readonly WeatherUse[];
  /** Legs that the operator's table does not have. */
  readonly unmatched: number;
}

/** How the models run for a report. */
function reportOptions({ scaling, accf }: ModelSettings): TrajectoryOptions {
  return { ...inventoryOptions(scaling, {}, accf), includes: ['performance', 'emissions', 'climate'] };
}

/** The parameters that decide the numbers. */
export function reportParameters(settings: ModelSettings): MethodParameters {
  const options = reportOptions(settings);
  const { functions, set } = climateOptionsOf(options);
  return {
    modeling_version: MODELING_VERSION,
    humidity_scaling: settings.scaling,
    max_age_hours: options.maxAgeHours,
    dt_integration_minutes: options.dtIntegrationMinutes,
    resample_s: 60,
    accf_v: functions.version,
    methane_lifetime_years: settings.accf.methane_lifetime_years,
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
  const { prepared, excluded, unmatched } = await prepareFlights(services, inputs, request, settings, only);
  const options = reportOptions(settings);
  const reruns = EFFECT_GROUPS.map((group) => ({
    group,
    flights: prepared
      .filter((flight) => hasEffect(flight, group, settings))
      .map((flight) => withoutGroup(flight, group, settings)),
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
    const { trajectory } = flight.provenance;
    used.push({ key: flight.operator.key, track: result.track, provenance: trajectory });
    if (result.origin !== undefined) origins.push({ origin: result.origin, track: result.track });
  }
  const met = await services.met.open();
  const weather = await weatherOf(met, origins, options.maxAgeHours);
  return { rows, excluded, tracks: used, weather, unmatched };
}

/** The flights of the operator and the legs that its table does not have, as far as they are reported. */
async function prepareFlights(
  { duckdb }: ReportServices,
  { flights, trajectories, telemetry, minutes }: ReportInputs,
  request: ScopeRequest,
  settings: MrvSettings,
  only: ReadonlySet<string> | undefined,
) {
  const supplied = flights === undefined ? [] : await readOperatorFlights(duckdb, flights);
  const noTracks = new Map<string, Track>();
  const tracks = trajectories === undefined ? noTracks : await readTracks(duckdb, trajectories, only);
  const legs = telemetry === undefined ? [] : await readLegs(duckdb, telemetry);
  const { legOf, ambiguous, unmatched } = matchLegs(
    supplied.map((flight) => ({ ...flight, departureIcao: routeOf(flight).departure?.icao })),
    legs,
    settings.match_minutes,
  );
  const taken = new Set(supplied.map(({ key }) => key));
  const others = unmatched.filter(({ flightId }) => !taken.has(flightId));
  const legByKey = new Map([...legOf, ...others.map((leg) => [leg.flightId, leg] as const)]);
  const wanted = [...supplied, ...others.map((leg) => flightOfLeg(leg, request.operator))].filter(
    ({ key }) => only === undefined || only.has(key),
  );
  const legIds = new Set(wanted.flatMap(({ key }) => legByKey.get(key)?.flightId ?? []));
  const legTracks = minutes === undefined ? noTracks : await readTracks(duckdb, minutes, legIds);
  const excluded: ExcludedRow[] = [];
  const prepared: PreparedFlight[] = [];
  for (const flight of wanted) {
    const route = routeOf(flight);
    const leg = legByKey.get(flight.key);
    const aircraftType = flight.aircraftType ?? leg?.aircraftType ?? null;
    const exclusion = exclusionOf({ ...flight, aircraftType }, route, request, settings);
    if (exclusion !== undefined) {
      excluded.push(excludedRow(flight, exclusion.kind, exclusion.reason));
      continue;
    }
    const legTrack = leg && legTracks.get(leg.flightId);
    const ready = prepareInputs(flight, route, { track: tracks.get(flight.key), leg, legTrack }, settings);
    if (typeof ready === 'string') excluded.push(excludedRow(flight, 'not_computed', ready));
    else if (ambiguous.has(flight.key))
      prepared.push({ ...ready, findings: [...ready.findings, 'ambiguous'] });
    else prepared.push(ready);
  }
  return { prepared, excluded, unmatched: others.length };
}

/** A flight computed with something else; undefined where it cannot be. */
export interface Change {
  readonly key: string;
  readonly change: (flight: FlightInputs) => FlightInputs;
}

/** CO2e of contrails, NOx and water vapour (GWP100, with efficacy) of flights under changes, in their order [kg]. */
export async function recomputeFlights(
  services: ReportServices,
  inputs: ReportInputs,
  request: ScopeRequest,
  settings: ReportSettings,
  changes: readonly Change[],
  hooks: ReportHooks = {},
): Promise<(number | undefined)[]> {
  const keys = new Set(changes.map(({ key }) => key));
  const { prepared } = await prepareFlights(services, inputs, request, settings, keys);
  const byKey = new Map(prepared.map((flight) => [flight.operator.key, flight.inputs]));
  const nameOf = (c: number) => `${c} ${changes[c]?.key}`;
  const changed = changes.flatMap(({ key, change }, c) => {
    const flight = byKey.get(key);
    return flight === undefined ? [] : [{ ...change(flight), key: nameOf(c) }];
  });
  let done = 0;
  const results = await evaluateFlights(services, changed, reportOptions(settings), {
    signal: hooks.signal,
    onFlights: (count) => {
      done += count;
      hooks.onProgress?.(done, changed.length);
    },
  });
  return changes.map((_, c) => {
    const result = results.get(nameOf(c));
    return result === undefined || typeof result === 'string' ? undefined : nonCo2Kg(result);
  });
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
