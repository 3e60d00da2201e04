/**
 * Attribution of a satellite's contrails, some frames at a time in the order of their times. What the next frames need is an
 * object of the store; results are stored for each flight. All of it can be made again from segments and telemetry.
 */

import { isNear, type KnownFlight } from '@contrails/engine/attribution/known-flights';
import type { ChunkResult } from '@contrails/engine/attribution/results';
import {
  isPast,
  MAX_AGE_MS,
  newRollState,
  type RollFrame,
  type RollState,
  WINDOW_MS,
} from '@contrails/engine/attribution/roll-frames';
import { rollOnThreads } from '@contrails/engine/attribution/roll-on-threads';
import { isFollowed, openWinds } from '@contrails/engine/attribution/winds';
import type { InventoryFlight } from '@contrails/flights/inventory';
import type { OpenWeather } from '@contrails/met';
import type { FlightPoints } from '@contrails/observations/attribution';
import { FRAME_STEP_MS } from '@contrails/observations/frame';
import type { Queryable } from '@contrails/platform/database/database';
import { DAY_MS, HOUR_MS, isoSecond } from '@contrails/runtime';
import type { Services } from '../../../services.ts';
import { telemetryUntilMs } from '../../../telemetry-store/table.ts';
import type { ObservationsConfig, Satellite } from '../config.ts';
import { readSegments } from '../frames/segments-file.ts';
import { EXPECTED_MS, type FrameRecord, frameTime, listFrames } from '../frames/table.ts';
import { flightResults } from './flight-results.ts';
import { readFlights } from './flights.ts';
import { readState, writeState } from './stored-state.ts';
import {
  forgetRolls,
  listRolls,
  type RollRecord,
  recordRoll,
  rewind,
  type StoredFlight,
  storedResults,
} from './table.ts';

export type RollServices = Pick<Services, 'database' | 'store' | 'met' | 'compute'>;

/** So far back a frame that comes late, or changes, is taken into account. */
const STATES_KEPT_MS = 6 * HOUR_MS;
/** Frames without weather wait for it for so long. */
const WEATHER_WAIT_MS = 2 * DAY_MS;
/** After a longer time without frames nothing that was followed matters. */
const LONG_GAP_MS = WINDOW_MS;

/** What a turn did: frames, or what they wait for. */
export type RollOutcome =
  | { readonly frames: number; readonly flights: number; readonly until: string }
  | { readonly waiting: string };

/** Takes the next frames of a satellite, up to the end of their hour. */
export async function advanceOnce(
  services: RollServices,
  config: ObservationsConfig,
  satellite: Satellite,
  signal: AbortSignal,
  nowMs = Date.now(),
): Promise<RollOutcome> {
  const { database, store } = services;
  await rewindChanged(services, satellite);
  const rolls = await listRolls(database, satellite);
  const before = rolls.at(-1);
  const next = await nextFrames(services, satellite, before?.timeMs, nowMs);
  if ('waiting' in next) return next;
  const { frames, marks } = next;
  const [first, last] = [frames[0] as FrameRecord, frames.at(-1) as FrameRecord];
  const isContinued = before !== undefined && first.timeMs - before.timeMs <= LONG_GAP_MS;
  const stored = isContinued ? await readState(services, before) : undefined;
  const earlier = rolls.findLast(({ timeMs, stateKey }) => stateKey !== '' && timeMs < (before?.timeMs ?? 0));
  if (isContinued && stored === undefined && earlier !== undefined) {
    await rewindTo(services, satellite, earlier);
    return advanceOnce(services, config, satellite, signal, nowMs);
  }
  const state = stored ?? newRollState(satellite);
  const made = await advance(services, config, { satellite, state, frames }, signal);
  if (made.isWithoutWeather && nowMs - last.timeMs < WEATHER_WAIT_MS) {
    return { waiting: `weather of ${isoSecond(last.timeMs)}` };
  }
  const { results } = made;
  const stateKey = await writeState(services, satellite, last.timeMs, made.state);
  const after = marks.map(({ timeMs, edition }): RollRecord => {
    return { satellite, timeMs, edition, stateKey: timeMs === last.timeMs ? stateKey : '' };
  });
  if (!(await recordRoll(database, before, after, results, Date.now()))) {
    await store.remove(stateKey);
    return { waiting: 'another worker, which is at the same frames' };
  }
  for (const key of await forgetRolls(database, satellite, last.timeMs - STATES_KEPT_MS)) {
    if (key !== '') await store.remove(key);
  }
  return { frames: frames.length, flights: results.length, until: isoSecond(last.timeMs) };
}

/**
 * What is known of one flight when all frames that may show it are taken again, with the flights that compete with it; for
 * flights that were not followed when their frames came.
 */
export async function followAgain(
  services: RollServices,
  config: ObservationsConfig,
  satellite: Satellite,
  {
    flightId,
    firstMs,
    lastMs,
  }: { readonly flightId: string; readonly firstMs: number; readonly lastMs: number },
  signal: AbortSignal,
): Promise<StoredFlight | undefined> {
  const frames = (
    await listFrames(services.database, satellite, firstMs, lastMs + MAX_AGE_MS + FRAME_STEP_MS)
  ).filter(({ manifest }) => manifest?.l2 != null);
  let state = newRollState(satellite);
  let found: StoredFlight | undefined;
  for (const group of Map.groupBy(frames, ({ timeMs }) => Math.floor(timeMs / HOUR_MS)).values()) {
    const made = await advance(services, config, { satellite, state, frames: group }, signal);
    state = made.state;
    found = made.results.find(({ id }) => id === flightId) ?? found;
  }
  return found && { ...found, result: { ...found.result, isFinal: true } };
}

interface Advance {
  readonly satellite: Satellite;
  readonly state: RollState;
  /** In order of time, within an hour. */
  readonly frames: readonly FrameRecord[];
}

/** Follows the flights of telemetry through some frames. */
async function advance(
  services: RollServices,
  config: ObservationsConfig,
  { satellite, state, frames }: Advance,
  signal: AbortSignal,
): Promise<{
  readonly state: RollState;
  readonly results: readonly StoredFlight[];
  readonly isWithoutWeather: boolean;
}> {
  const [first, last] = [frames[0] as FrameRecord, frames.at(-1) as FrameRecord];
  const grid = first.manifest?.grid;
  const flights = await readFlights(
    services,
    {
      fromMs: Math.min(first.timeMs - WINDOW_MS - HOUR_MS, ...endsOf(state)),
      toMs: Math.ceil((last.timeMs + FRAME_STEP_MS) / HOUR_MS) * HOUR_MS,
      memoryMiB: config.telemetry.memory_mib,
      isWanted: (flight) => grid === undefined || isNear(grid, flight),
    },
    signal,
  );
  const span = { fromMs: first.timeMs - WINDOW_MS, toMs: last.timeMs + FRAME_STEP_MS };
  const weather = await openWinds(services, flights, span, signal);
  const isWithoutWeather = weather === 'missing';
  const made =
    weather === 'missing'
      ? { state: newRollState(satellite), flights: [] }
      : await roll(
          services,
          { satellite, state, frames },
          flights,
          weather === 'nothing' ? undefined : weather,
          signal,
        );
  const results = await flightResults(services, config, {
    satellite,
    frames: await listFrames(services.database, satellite, last.timeMs - ARCHIVE_MS, last.timeMs + 1),
    flights,
    followed: made.flights,
    metSource: typeof weather === 'string' ? null : weather.origin.name,
    isWithoutWeather,
    signal,
  });
  return { state: made.state, results, isWithoutWeather };
}

/** Last times of the flights that are followed: each has a final result to come, also when frames are missing. */
function endsOf({ attribution, ended }: RollState): number[] {
  return attribution.flights.flatMap(({ flight, lastMs }) => (ended.has(flight) ? [] : [lastMs]));
}

/** A flight takes 19 h at most, and its contrails are followed for some hours. */
const ARCHIVE_MS = DAY_MS;

/** Frames that came late, or were processed again, after they had been passed: goes back to before them. */
async function rewindChanged({ database, store }: RollServices, satellite: Satellite): Promise<void> {
  const rolls = await listRolls(database, satellite);
  const newest = rolls.at(-1);
  if (newest === undefined) return;
  const keptMs = newest.timeMs - STATES_KEPT_MS;
  const states = rolls.filter(({ stateKey }) => stateKey !== '');
  // Without a state from before the time that is kept nothing is forgotten, and what is followed can start again.
  const fromMs = states.findLast(({ timeMs }) => timeMs < keptMs)?.timeMs ?? keptMs - 1;
  const frames = await listFrames(database, satellite, fromMs + 1, newest.timeMs + 1);
  const published = frames.filter(({ manifest }) => manifest?.l2 != null);
  const editions = new Map(frames.map(({ timeMs, manifest }) => [timeMs, manifest?.edition ?? '']));
  const passed = new Set(rolls.map(({ timeMs }) => timeMs));
  const changed = rolls.filter(
    ({ timeMs, edition }) => timeMs > fromMs && (editions.get(timeMs) ?? '') !== edition,
  );
  const late = published.filter(({ timeMs }) => !passed.has(timeMs));
  if (changed.length + late.length === 0) return;
  const changedMs = Math.min(...[...changed, ...late].map(({ timeMs }) => timeMs));
  const start = states.findLast(({ timeMs }) => timeMs < changedMs);
  await rewindTo({ database, store }, satellite, start);
}

async function rewindTo(
  { database, store }: Pick<RollServices, 'database' | 'store'>,
  satellite: Satellite,
  to: RollRecord | undefined,
): Promise<void> {
  for (const key of await rewind(database, satellite, to?.timeMs ?? -1)) {
    if (key !== '') await store.remove(key);
  }
}

interface NextFrames {
  readonly frames: readonly FrameRecord[];
  /** Every time from the first to the last frame, with its edition or that it is missing. */
  readonly marks: readonly { readonly timeMs: number; readonly edition: string }[];
}

/** Published frames after a time, up to the end of an hour, for which telemetry is complete; those under way are waited for. */
async function nextFrames(
  { database }: RollServices,
  satellite: Satellite,
  afterMs: number | undefined,
  nowMs: number,
): Promise<NextFrames | { readonly waiting: string }> {
  const [row] = await database.query<{ first: number | null }>(
    `SELECT MIN(time_ms) AS first FROM observation_frames
     WHERE satellite = $1 AND time_ms > $2 AND (manifest IS NOT NULL OR state IN ('queued', 'collecting'))`,
    [satellite, afterMs ?? -1],
  );
  if (row === undefined || row.first === null) return { waiting: 'the next frame' };
  const firstMs = row.first;
  const untilMs = await telemetryUntilMs(database, firstMs - WINDOW_MS);
  const endMs = Math.floor(firstMs / HOUR_MS) * HOUR_MS + HOUR_MS;
  const limitMs = Math.min(untilMs ?? Number.NEGATIVE_INFINITY, endMs);
  if (firstMs + FRAME_STEP_MS > limitMs) return { waiting: `telemetry of ${isoSecond(firstMs)}` };
  const isContinued = afterMs !== undefined && firstMs - afterMs <= LONG_GAP_MS;
  const fromMs = isContinued ? afterMs + FRAME_STEP_MS : firstMs;
  const known = await listFrames(database, satellite, fromMs, limitMs);
  const frames: FrameRecord[] = [];
  const marks: { timeMs: number; edition: string }[] = [];
  for (let timeMs = frameTime(fromMs); timeMs < limitMs; timeMs += FRAME_STEP_MS) {
    const frame = known.find((one) => one.timeMs === timeMs);
    const isUnderWay = frame?.state === 'queued' || frame?.state === 'collecting';
    const isExpected = frame === undefined && nowMs - timeMs < EXPECTED_MS;
    if (frame?.manifest === undefined && (isUnderWay || isExpected)) break;
    if (frame?.manifest?.l2 != null) frames.push(frame);
    marks.push({ timeMs, edition: frame?.manifest?.edition ?? '' });
  }
  const last = frames.at(-1);
  if (last === undefined) return { waiting: `the frame of ${isoSecond(frameTime(fromMs))}` };
  return { frames, marks: marks.filter(({ timeMs }) => timeMs <= last.timeMs) };
}

/** Whether the archive has a frame that may show a flight. */
export async function isInView(
  { database }: Pick<RollServices, 'database'>,
  satellite: Satellite,
  flight: InventoryFlight,
): Promise<boolean> {
  const { timeMs } = flight.columns;
  const [firstMs, lastMs] = [timeMs[0] as number, timeMs.at(-1) as number];
  const frames = await listFrames(database, satellite, firstMs, lastMs + MAX_AGE_MS);
  const [grid] = frames.flatMap(({ manifest }) => manifest?.grid ?? []);
  return grid !== undefined && isNear(grid, flight);
}

async function roll(
  { compute, store, database }: RollServices,
  { satellite, state, frames }: Advance,
  flights: readonly KnownFlight[],
  weather: OpenWeather | undefined,
  signal: AbortSignal,
) {
  try {
    const inputs: RollFrame[] = [];
    for (const { timeMs, manifest } of frames) {
      if (manifest === undefined) continue;
      inputs.push({ timeMs, grid: manifest.grid, segments: await readSegments(store, manifest) });
    }
    const points = flights.map(({ points: of }) => of).filter(isFollowed);
    const resumed = await resumedFlights(database, satellite, state, points, inputs[0]?.timeMs);
    const input = { state, frames: inputs, flights: points, resumed, field: weather?.levels ?? null };
    return await rollOnThreads(compute, input, signal);
  } finally {
    weather?.release();
  }
}

/** Stored chunks of flights that were forgotten while they were silent. */
async function resumedFlights(
  database: Queryable,
  satellite: Satellite,
  { attribution }: RollState,
  flights: readonly FlightPoints[],
  firstMs: number | undefined,
): Promise<Map<string, readonly ChunkResult[]>> {
  if (firstMs === undefined) return new Map();
  const known = new Set(attribution.flights.map(({ flight }) => flight));
  const unknown = flights.filter(
    ({ flight, timeMs }) =>
      !known.has(flight) &&
      isPast(timeMs[0] ?? firstMs, firstMs) &&
      (timeMs.at(-1) ?? firstMs) + MAX_AGE_MS >= firstMs,
  );
  const results = await storedResults(
    database,
    satellite,
    unknown.map(({ flight }) => flight),
  );
  return new Map(Array.from(results, ([id, { chunks }]) => [id, chunks]));
}
