/**
 * Flights through the models, in order of departure: hours of weather are read once and stay in memory as long as the next
 * flights need them. What is found of a flight does not depend on the others, so batches may have any size.
 */
import {
  type BridgedFlight,
  bridgeFlight,
  type InventoryFlight,
  MODEL_COLUMNS,
  type ModelColumns,
  type ModelFacts,
} from '@contrails/flights/inventory';
import { type Choice, type Met, MetError, type WeatherRequest } from '@contrails/met';
import type { Co2eSet } from '@contrails/physics/cocip';
import { HOUR_MS, isoDate } from '@contrails/runtime';
import { CancelledError } from '@contrails/runtime/errors';
import type { Compute } from '../compute.ts';
import type { FlightFacts } from '../flights/finish-flight.ts';
import type { RequestFleet, SharedColumn } from '../flights/fleet.ts';
import { climateOptionsOf } from '../flights/flight-climate.ts';
import type { TrajectoryOptions } from '../flights/options.ts';
import { weatherRequestOf } from '../flights/plan-weather.ts';
import { joinRegions, type Region, regionOf } from '../flights/region.ts';
import { emptyResult, evaluateFlightsInto, type RunServices, type TrajectoryResult } from '../flights/run.ts';
import { asCommandError } from '../weather/errors.ts';
import { scalingForLevels } from '../weather/humidity-scaling.ts';
import { type AirframeTable, resolveAircraft } from './aircraft.ts';
import { type FleetMember, fleetOf } from './fleet.ts';
import type { Rejection } from './rejection.ts';

export interface ModelServices {
  readonly met: { open(): Promise<Met> };
  readonly compute: Compute;
}

export interface ModelSettings {
  readonly options: TrajectoryOptions;
  /** Whether forecasts will do where there is no reanalysis. */
  readonly allowsForecast: boolean;
  /** Warming potentials of CO2; those of Lee et al. (2021) unless given. */
  readonly co2eSet?: Co2eSet | undefined;
}

export interface ModelHooks {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/** What became of a flight in the models. */
export interface ModelOutcome {
  readonly flight: InventoryFlight;
  readonly result: ModelFacts | Rejection;
}

/** What became of some flights. */
export interface ModelBatch {
  readonly outcomes: readonly ModelOutcome[];
  /** Absent where no flight came as far as the models. */
  readonly minutes?: BatchMinutes;
}

/** The minutes of all flights of a batch in the order of its outcomes, in shared memory. */
export interface BatchMinutes {
  /** Where the minutes of a flight begin; those of the next one begin where they end. */
  readonly offsets: Uint32Array<SharedArrayBuffer>;
  readonly columns: RequestFleet['columns'];
  readonly model: SharedModelColumns;
}

export type SharedModelColumns = Readonly<Record<keyof ModelColumns, SharedColumn>>;

/** What the models found at the minutes of one flight of a batch. */
export function modelColumnsOf({ offsets, model }: BatchMinutes, f: number): ModelColumns {
  return Object.fromEntries(
    MODEL_COLUMNS.map((name) => [name, model[name].subarray(offsets[f], offsets[f + 1])]),
  ) as ModelColumns;
}

/** Waypoints of a batch, which bounds the memory for columns to some 50 MB. */
const MAX_WAYPOINTS = 200_000;
/** Flights of a batch depart within this time, so it needs few hours of weather. */
const MAX_SPAN_MS = 6 * HOUR_MS;
/** Batches that are shorter are not divided in time, because contrails outlive them by far. */
const MIN_SPAN_MS = HOUR_MS / 4;
/** Pressure at the lowest altitude at which contrails are looked for [hPa]; every flight sees the weather above it. */
const FLOOR_LEVEL_HPA = 415;

interface Member extends FleetMember {
  readonly flight: InventoryFlight;
  /** With the ends that were not seen. */
  readonly bridged: BridgedFlight | undefined;
  readonly region: Region;
}

export async function* modelFlights(
  services: ModelServices,
  flights: readonly InventoryFlight[],
  airframes: AirframeTable,
  settings: ModelSettings,
  hooks: ModelHooks = {},
): AsyncGenerator<ModelBatch> {
  const members: Member[] = [];
  const rejected: ModelOutcome[] = [];
  for (const flight of flights) {
    const aircraft = resolveAircraft(flight, airframes);
    if ('code' in aircraft) rejected.push({ flight, result: aircraft });
    else {
      const bridged = bridgeFlight(flight);
      members.push({ flight, aircraft, bridged, region: regionOfFlight(bridged?.columns ?? flight.columns) });
    }
  }
  if (rejected.length > 0) yield { outcomes: rejected };
  if (members.length === 0) return;
  const met = await services.met.open();
  let done = rejected.length;
  for await (const batch of runGroups({ met, compute: services.compute }, members, settings, hooks)) {
    done += batch.outcomes.length;
    hooks.onProgress?.(done / flights.length);
    yield batch;
  }
}

/** Flights by the weather that is best for each: a source or forecast that covers all of them may not be that. */
async function* runGroups(
  services: Sweeping,
  members: readonly Member[],
  settings: ModelSettings,
  hooks: ModelHooks,
): AsyncGenerator<ModelBatch> {
  const [only, ...others] = await services.met.catalogue.list();
  if (only !== undefined && !('error' in only) && others.length === 0 && only.description.runs.length === 1) {
    yield* sweep(services, inOrder(members), { source: only.source.name }, settings, hooks);
    return;
  }
  const groups = new Map<string, { readonly run: ChosenRun; readonly members: Member[] }>();
  const rejected: ModelOutcome[] = [];
  for (const member of members) {
    const chosen = await chooseWeather(services.met, member.region, {}, settings);
    if ('code' in chosen) {
      rejected.push({ flight: member.flight, result: chosen });
      continue;
    }
    const { description, run } = chosen.choice;
    const key = `${description.name} ${run.referenceTime ?? ''}`;
    const group = groups.get(key) ?? {
      run: {
        source: description.name,
        ...(run.referenceTime === undefined ? {} : { referenceTime: run.referenceTime }),
      },
      members: [],
    };
    group.members.push(member);
    groups.set(key, group);
  }
  if (rejected.length > 0) yield { outcomes: rejected };
  for (const group of groups.values())
    yield* sweep(services, inOrder(group.members), group.run, settings, hooks);
}

/** The weather that a group of flights sees; a reanalysis has no reference time. */
type ChosenRun = Pick<WeatherRequest, 'source' | 'referenceTime'>;

interface Sweeping {
  readonly met: Met;
  readonly compute: Compute;
}

/**
 * The weather of all flights has one area, so every hour of it is read once. Where the memory for weather cannot hold
 * that area for as long as a batch takes, the western and the eastern half follow in turn.
 */
async function* sweep(
  services: Sweeping,
  members: readonly Member[],
  run: ChosenRun,
  settings: ModelSettings,
  hooks: ModelHooks,
): AsyncGenerator<ModelBatch> {
  const area = snapped(joinRegions(members.map(({ region }) => region)));
  const waiting = batchesOf(members);
  for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
    const own = joinRegions(batch.map(({ region }) => region));
    const [only] = batch;
    const region = batch.length === 1 ? own : { ...area, time: own.time };
    const chosen = await chooseWeather(services.met, region, run, settings);
    if ('code' in chosen) {
      if (only !== undefined && batch.length === 1) {
        yield { outcomes: [{ flight: only.flight, result: chosen }] };
        continue;
      }
      const { covered, rejected } = await splitCovered(services.met, batch, run, settings);
      if (rejected.length > 0) yield { outcomes: rejected };
      // Without a flight that lacks weather there is a hole between them, so each goes alone.
      waiting.unshift(...(rejected.length > 0 ? batchesOf(covered) : covered.map((one) => [one])));
      continue;
    }
    const computed = await runBatch(services, batch, chosen, settings, hooks);
    if (computed !== 'too-large') {
      yield computed;
      continue;
    }
    const [first, second] = halves(batch);
    if (second.length > 0 && spanMs(batch) > MIN_SPAN_MS) {
      waiting.unshift(first, second);
      continue;
    }
    const rest = [batch, ...waiting].flat();
    const west = [...rest].sort((a, b) => a.region.arc.west - b.region.arc.west);
    for (const half of halves(west)) {
      if (half.length > 0) yield* sweep(services, inOrder(half), run, settings, hooks);
    }
    return;
  }
}

/** Flights whose weather is there until their last contrail has ended, and what the others lack. */
async function splitCovered(
  met: Met,
  batch: readonly Member[],
  run: ChosenRun,
  settings: ModelSettings,
): Promise<{ covered: Member[]; rejected: ModelOutcome[] }> {
  const covered: Member[] = [];
  const rejected: ModelOutcome[] = [];
  for (const member of batch) {
    const chosen = await chooseWeather(met, member.region, run, settings);
    if ('code' in chosen) rejected.push({ flight: member.flight, result: chosen });
    else covered.push(member);
  }
  return { covered, rejected };
}

/** `too-large` where the weather does not fit in memory and less would do. */
async function runBatch(
  { met, compute }: Sweeping,
  batch: readonly Member[],
  { request, choice }: WeatherChoice,
  settings: ModelSettings,
  hooks: ModelHooks,
): Promise<ModelBatch | 'too-large'> {
  try {
    const isDivisible = batch.length > 1;
    const weather = await met.openWeather(request, { choice, isDivisible, signal: hooks.signal });
    try {
      const lowestLevelHpa = choice.description.levels.at(-1) ?? Number.POSITIVE_INFINITY;
      const options = {
        ...settings.options,
        climate: {
          ...climateOptionsOf(settings.options),
          ...(settings.co2eSet && { set: settings.co2eSet }),
        },
        scaling: scalingForLevels(settings.options.scaling, weather.origin.levelType),
      };
      const running = { weather, compute, signal: hooks.signal, isOneOfMany: true };
      const loads = await bridgedLoads(batch, lowestLevelHpa, options, running);
      const fleet = fleetOf(
        batch.map((member, f) => ({ ...member, massKg: loads.get(f)?.massKg })),
        lowestLevelHpa,
      );
      const result = emptyResult('cocip', fleet, options, MODEL_COLUMNS);
      const everyone = batch.map((_, f) => f);
      const errors = await evaluateFlightsInto(result, 'cocip', fleet, everyone, options, running);
      const minutes = { offsets: fleet.offsets, columns: fleet.columns, model: modelColumns(result) };
      const outcomes = batch.map((member, f): ModelOutcome => {
        const facts = result.facts[f];
        return {
          flight: member.flight,
          result:
            errors.has(f) || facts === undefined
              ? { code: 'model_failed', detail: errors.get(f)?.msg ?? 'the models gave no result' }
              : isOutside(minutes, f)
                ? { code: 'outside_weather', detail: 'no waypoint of the flight lies in the weather' }
                : factsOf(
                    member,
                    facts,
                    { dataset: weather.origin.dataset, lowestLevelHpa },
                    options,
                    loads.get(f),
                  ),
        };
      });
      return { outcomes, minutes };
    } finally {
      weather.release();
    }
  } catch (error) {
    if (hooks.signal?.aborted) throw new CancelledError('the work was cancelled', { cause: error });
    if (batch.length > 1 && error instanceof MetError && error.kind === 'too-large') return 'too-large';
    throw asCommandError(error);
  }
}

/** What an aircraft carried when it was first seen. */
interface BridgedLoad {
  readonly massKg: number;
  readonly load: FlightFacts['load'];
}

/**
 * The mass of an aircraft follows from all of its flight, so the performance of flights which were seen in part is computed
 * from airport to airport first. Nothing else is taken from there.
 */
async function bridgedLoads(
  batch: readonly Member[],
  lowestLevelHpa: number,
  options: TrajectoryOptions,
  running: RunServices,
): Promise<ReadonlyMap<number, BridgedLoad>> {
  const partial = batch.flatMap(({ flight, aircraft, bridged }, f) =>
    bridged === undefined
      ? []
      : [{ f, bridged, member: { flight: { ...flight, columns: bridged.columns }, aircraft } }],
  );
  const loads = new Map<number, BridgedLoad>();
  if (partial.length === 0) return loads;
  const fleet = fleetOf(
    partial.map(({ member }) => member),
    lowestLevelHpa,
  );
  const performance = { ...options, includes: ['performance'] as const };
  const result = emptyResult('emissions', fleet, performance, ['aircraft_mass']);
  const everyone = partial.map((_, k) => k);
  const errors = await evaluateFlightsInto(result, 'emissions', fleet, everyone, performance, running);
  for (const [k, { f, bridged }] of partial.entries()) {
    const massKg = result.columns.aircraft_mass?.[(fleet.offsets[k] as number) + bridged.first];
    // Without weather on the part that was not seen there is no mass; the flight is computed as if it were whole.
    if (errors.has(k) || massKg === undefined || !Number.isFinite(massKg)) continue;
    loads.set(f, { massKg, load: result.facts[k]?.load });
  }
  return loads;
}

interface WeatherChoice {
  readonly request: WeatherRequest;
  readonly choice: Choice;
}

/** The weather of a region until the last contrail has ended, or what it lacks. */
async function chooseWeather(
  met: Met,
  region: Region,
  chosen: ChosenRun,
  { options, allowsForecast }: ModelSettings,
): Promise<WeatherChoice | Rejection> {
  const request = { ...weatherRequestOf('cocip', region, options), ...chosen };
  try {
    const choice = await met.catalogue.choose(request);
    const { coverage, run, description } = choice;
    const isReanalysis = run.referenceTime === undefined && description.type === 'reanalysis';
    const [from, to] = [region.time[0], region.time[1] + (request.margin?.afterMs ?? 0)].map(isoHour);
    if (!isReanalysis && !allowsForecast) {
      return {
        code: 'waiting_weather',
        detail: `there is no reanalysis from ${from} to ${to}; the flight is computed when it arrives`,
      };
    }
    if (!coverage.time || !coverage.useful) {
      return {
        code: 'waiting_weather',
        detail: `${description.name} does not cover ${from} to ${to}; the flight is computed when the missing hours arrive`,
      };
    }
    return { request, choice };
  } catch (error) {
    if (!(error instanceof MetError) || error.kind !== 'outside') throw asCommandError(error);
    return { code: isTime(error) ? 'waiting_weather' : 'outside_weather', detail: error.message };
  }
}

/** Whether only time is missing, which may come. */
function isTime(error: MetError): boolean {
  const { served } = error.facts;
  return !Array.isArray(served) || served.some(({ short }: { short?: unknown }) => short === 'time');
}

function modelColumns({ columns }: TrajectoryResult): SharedModelColumns {
  const found = MODEL_COLUMNS.map((name) => {
    const column = columns[name];
    if (column === undefined) throw new TypeError(`the models gave no ${name}`);
    return [name, column] as const;
  });
  return Object.fromEntries(found) as SharedModelColumns;
}

function factsOf(
  { flight, aircraft }: Member,
  facts: FlightFacts,
  weather: { readonly dataset: string; readonly lowestLevelHpa: number },
  { maxAgeHours }: TrajectoryOptions,
  bridged: BridgedLoad | undefined,
): ModelFacts {
  const load = bridged?.load ?? facts.load;
  const { timeMs } = flight.columns;
  const days = [timeMs[0] as number, (timeMs.at(-1) as number) + maxAgeHours * HOUR_MS].map((ms) =>
    isoDate(ms).replaceAll('-', ''),
  );
  return {
    aircraftType: aircraft.aircraftType,
    performanceType: facts.performanceType ?? aircraft.aircraftType,
    engineUid: facts.engineUid ?? aircraft.engineUid,
    engineSource: aircraft.engineSource,
    nvpmDataSource: facts.nvpmDataSource ?? 'unknown',
    isTypeFromTable: aircraft.isTypeFromTable,
    passengerLoadFactor: load?.passengerLoadFactor ?? null,
    cargoLoadFactor: load?.cargoLoadFactor ?? null,
    bridgedMassKg: bridged?.massKg ?? null,
    role: aircraft.role ?? null,
    lowestLevelHpa: weather.lowestLevelHpa,
    metSourceDataset: weather.dataset,
    metDays: days.join('-'),
    climate: climateOf(facts.climate),
  };
}

/** Where no segment is covered nothing is known, which is not 0. */
function climateOf(balance: FlightFacts['climate']): ModelFacts['climate'] {
  if (balance === undefined || balance.coverage === 0) return null;
  const species = ({ atr20K, co2e: { gwp20, gwp50, gwp100 } }: typeof balance.nox | typeof balance.h2o) => ({
    atr20K,
    co2e: { gwp20, gwp50, gwp100 },
  });
  return { coverage: balance.coverage, nox: species(balance.nox), h2o: species(balance.h2o) };
}

/** A flight in the cruise altitudes of which the weather has nothing; low flights need no weather. */
function isOutside({ offsets, columns: { altitudeFt }, model: { rhi } }: BatchMinutes, f: number): boolean {
  let isAboveZero = false;
  for (let i = offsets[f] as number; i < (offsets[f + 1] as number); i++) {
    if (!Number.isNaN(rhi[i])) return false;
    if ((altitudeFt[i] as number) > 0) isAboveZero = true;
  }
  return isAboveZero;
}

function regionOfFlight(columns: BridgedFlight['columns']): Region {
  const region = regionOf(columns);
  return { ...region, level: [Math.min(region.level[0], FLOOR_LEVEL_HPA), region.level[1]] };
}

const SNAP_DEG = 15;
const SNAP_HPA = 50;
/** An area that is wider than this is taken as the whole circle [°]. */
const WIDE_DEG = 240;

/** Units of the same day have about the same area; with common limits they share the hours of weather in memory. */
function snapped({ time, level, latitude, arc }: Region): Region {
  const down = (value: number, step: number) => step * Math.floor(value / step);
  const up = (value: number, step: number) => step * Math.ceil(value / step);
  const west = down(arc.west, SNAP_DEG);
  const width = up(arc.west + arc.width - west, SNAP_DEG);
  return {
    time,
    level: [down(level[0], SNAP_HPA), up(level[1], SNAP_HPA)],
    latitude: [Math.max(-90, down(latitude[0], SNAP_DEG)), Math.min(90, up(latitude[1], SNAP_DEG))],
    arc: width > WIDE_DEG ? { west: -180, width: 360 } : { west, width },
  };
}

function inOrder(members: readonly Member[]): Member[] {
  const startMs = ({ flight }: Member) => flight.columns.timeMs[0] as number;
  return [...members].sort(
    (a, b) => startMs(a) - startMs(b) || (a.flight.flightId < b.flight.flightId ? -1 : 1),
  );
}

function batchesOf(members: readonly Member[]): Member[][] {
  const batches: Member[][] = [];
  let [waypoints, firstMs] = [0, Number.NaN];
  for (const member of members) {
    const { timeMs } = member.flight.columns;
    const startMs = timeMs[0] as number;
    const isFull = waypoints + timeMs.length > MAX_WAYPOINTS || startMs - firstMs > MAX_SPAN_MS;
    if (batches.length === 0 || isFull) {
      batches.push([]);
      [waypoints, firstMs] = [0, startMs];
    }
    batches.at(-1)?.push(member);
    waypoints += timeMs.length;
  }
  return batches;
}

function halves<T>(list: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)];
}

/** Between the first and the last departure. */
function spanMs(batch: readonly Member[]): number {
  const start = (member: Member | undefined) => member?.flight.columns.timeMs[0] ?? 0;
  return start(batch.at(-1)) - start(batch[0]);
}

function isoHour(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}
