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
  withoutGroup,
} from './inputs.ts';
import type { MethodParameters } from './methods.ts';
import { excludedRow, prepareFlights, type ReportInputs } from './prepare-flights.ts';
import type { ScopeRequest } from './scope.ts';
import type { MrvSettings } from './settings.ts';
import type { ExcludedRow } from './summary.ts';
import type { Track } from './tracks.ts';
import type { UsedTrack } from './waypoints-file.ts';

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
  /** With the number of flights that are done, and of all. */
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
  readonly weather: readonly WeatherUse[];
  /** Legs that the operator's table does not have. */
  readonly unmatched: number;
  /** Keys of waypoints that the table of flights does not have. */
  readonly strayTracks: readonly string[];
}

/** With the waypoints at whole minutes of flights that were computed. */
type OnTracks = (tracks: readonly UsedTrack[]) => Promise<void>;

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

/**
 * Computes flights in batches that share weather, and keeps none of their waypoints: `onTracks` is given those of each batch.
 * `only`: the keys of the flights to compute; all others are left out.
 */
export async function computeReport(
  services: ReportServices,
  inputs: ReportInputs,
  request: ScopeRequest,
  settings: ReportSettings,
  { signal, onProgress, onTracks }: ReportHooks & { readonly onTracks?: OnTracks } = {},
  only?: ReadonlySet<string>,
): Promise<Report> {
  const flights = await prepareFlights(services.duckdb, inputs, request, settings, only);
  const options = reportOptions(settings);
  const rows = new Map<string, FlightRow>();
  const spans = new WeatherSpans(options.maxAgeHours);
  let done = 0;
  for await (const batch of flights.batches()) {
    const evaluated = await evaluateWithEffects(services, batch, options, settings, signal);
    const used: UsedTrack[] = [];
    for (const { flight, result, effects } of evaluated) {
      const { key } = flight.operator;
      if (typeof result === 'string') {
        flights.excluded.push(excludedRow(flight.operator, 'not_computed', result));
        continue;
      }
      rows.set(
        key,
        flightRow(withFuelFinding(flight, result), result, effects, settings.accf.methane_lifetime_years),
      );
      used.push({ key, track: result.track, provenance: flight.provenance.trajectory });
      if (result.origin !== undefined) spans.add(result.origin, result.track);
    }
    await onTracks?.(used);
    done += batch.length;
    onProgress?.(done, flights.total);
  }
  const excluded = new Map(flights.excluded.map((row) => [row.flight_key, row]));
  const met = await services.met.open();
  const inOrder = <T>(of: ReadonlyMap<string, T>) => flights.keys.flatMap((key) => of.get(key) ?? []);
  return {
    rows: inOrder(rows),
    excluded: inOrder(excluded),
    weather: await spans.uses(met),
    unmatched: flights.unmatched,
    strayTracks: flights.strayTracks,
  };
}

type Effects = Partial<Record<EffectGroup, number>>;

/** Flights of a batch, and what their data change: all runs share weather and threads. */
async function evaluateWithEffects(
  services: ReportServices,
  batch: readonly PreparedFlight[],
  options: TrajectoryOptions,
  settings: ReportSettings,
  signal: AbortSignal | undefined,
) {
  const reruns = batch.flatMap((flight, f) =>
    EFFECT_GROUPS.filter((group) => hasEffect(flight, group, settings)).map((group) => ({ f, group })),
  );
  const results = await evaluateFlights(
    services,
    [
      ...batch.map(({ inputs }) => inputs),
      ...reruns.map(({ f, group }) => withoutGroup(batch[f] as PreparedFlight, group, settings)),
    ],
    options,
    signal,
  );
  const effects = batch.map((): Effects => ({}));
  reruns.forEach(({ f, group }, r) => {
    const [result, without] = [results[f], results[batch.length + r]];
    if (typeof result !== 'object' || typeof without !== 'object') return;
    const isUsed = group !== 'fuel_flow' || !result.findings.includes('fuel_burn_implausible');
    if (isUsed) (effects[f] as Effects)[group] = nonCo2Kg(result) - nonCo2Kg(without);
  });
  return batch.map((flight, f) => ({
    flight,
    result: results[f] as EvaluatedFlight | string,
    effects: effects[f] as Effects,
  }));
}

/** A flight computed with something else. */
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
  { signal, onProgress }: ReportHooks = {},
): Promise<(number | undefined)[]> {
  const keys = new Set(changes.map(({ key }) => key));
  const flights = await prepareFlights(services.duckdb, inputs, request, settings, keys);
  const results: (number | undefined)[] = changes.map(() => undefined);
  let done = 0;
  for await (const batch of flights.batches()) {
    const byKey = new Map(batch.map((flight) => [flight.operator.key, flight.inputs]));
    const runs = changes.flatMap(({ key, change }, c) => {
      const flight = byKey.get(key);
      return flight === undefined ? [] : [{ c, flight: change(flight) }];
    });
    const evaluated = await evaluateFlights(
      services,
      runs.map(({ flight }) => flight),
      reportOptions(settings),
      signal,
    );
    runs.forEach(({ c }, r) => {
      const result = evaluated[r];
      if (typeof result === 'object') results[c] = nonCo2Kg(result);
    });
    done += batch.length;
    onProgress?.(done, flights.total);
  }
  return results;
}

/** A given fuel flow is only compared with the fuel burn. */
function withFuelFinding(flight: PreparedFlight, { balance }: EvaluatedFlight): PreparedFlight {
  const { fuelBurnKg } = flight.operator;
  const hasBoth = fuelBurnKg !== null && flight.inputs.fuelBurnKg === undefined;
  if (!hasBoth || !fuelDiffers(balance.fuelKg, fuelBurnKg)) return flight;
  return { ...flight, findings: [...flight.findings, 'fuel_burn_differs'] };
}

const HOUR_MS = 3_600_000;

/** The weather that flights and their contrails saw, by source and run. */
class WeatherSpans {
  private readonly spans = new Map<string, { readonly origin: WeatherOrigin; from: number; to: number }>();
  private readonly maxAgeMs: number;

  constructor(maxAgeHours: number) {
    this.maxAgeMs = maxAgeHours * HOUR_MS;
  }

  add(origin: WeatherOrigin, { timeMs }: Track): void {
    const key = `${origin.name} ${origin.referenceTime ?? ''}`;
    const [first, last] = [timeMs[0] as number, timeMs.at(-1) as number];
    const known = this.spans.get(key) ?? { origin, from: first, to: last };
    known.from = Math.min(known.from, first);
    known.to = Math.max(known.to, last + this.maxAgeMs);
    this.spans.set(key, known);
  }

  uses(met: Pick<Met, 'catalogue'>): Promise<WeatherUse[]> {
    return Promise.all(
      [...this.spans.values()].map(async ({ origin, from, to }) => {
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
