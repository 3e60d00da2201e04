/** Flights that are asked for and have no result: those that telemetry knows are told apart from those that it does not. */

import { DAY_MS, HOUR_MS, isoSecond } from '@contrails/runtime';
import type { Jobs } from '../../../jobs/index.ts';
import type { Services } from '../../../services.ts';
import { findAddresses } from '../../telemetry/index.ts';
import type { ObservationsConfig, Satellite } from '../config.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { type FlightKey, isNamed } from './flight-key.ts';
import { type KnownFlight, readFlights } from './flights.ts';
import { enqueueFlights } from './jobs.ts';
import { detailsOf, type FlightResult } from './results.ts';
import { isInView } from './roll.ts';
import { MAX_AGE_MS } from './roll-frames.ts';
import { lastRoll } from './table.ts';

export type SearchServices = Pick<Services, 'database' | 'store'> & {
  readonly jobs: Pick<Jobs, 'enqueueAll'>;
};

/** What a search found for a key: results that are not stored, or why there is none yet. */
export type SearchOutcome =
  | { readonly results: readonly FlightResult[] }
  | { readonly pending: string }
  | 'unknown';

/** Keys that one request may search for; the others are searched when they are asked for again. */
const MAX_SEARCHED = 10;
/** Local dates begin and end up to so long before and after those in UTC. */
const ZONE_MS = 14 * HOUR_MS;
const MAX_FLIGHT_MS = 20 * HOUR_MS;

const takeTurn = oneAtATime();

export async function searchFlights(
  services: SearchServices,
  config: ObservationsConfig,
  satellites: readonly Satellite[],
  keys: readonly FlightKey[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SearchOutcome>> {
  const outcomes = new Map<string, SearchOutcome>();
  const searched = keys.slice(0, MAX_SEARCHED);
  for (const { text } of keys.slice(MAX_SEARCHED)) {
    outcomes.set(text, {
      pending: `the request has more than ${MAX_SEARCHED} flights that have to be searched; ask again for this one`,
    });
  }
  for (const [date, ofDate] of Map.groupBy(searched, ({ date: one }) => one)) {
    signal.throwIfAborted();
    const flights = await takeTurn(() => flightsOn(services, config, date, ofDate, signal));
    for (const key of ofDate) {
      const [best] = flights
        .filter(({ name }) => name !== null && isNamed(key, name))
        .sort((a, b) => cruisePoints(b) - cruisePoints(a) || startMs(a) - startMs(b));
      outcomes.set(
        key.text,
        best === undefined ? 'unknown' : await outcomeOf(services, satellites, best, Date.now()),
      );
    }
  }
  return outcomes;
}

function cruisePoints({ points }: KnownFlight): number {
  return 'reason' in points ? 0 : points.timeMs.length;
}

function startMs({ flight }: KnownFlight): number {
  return flight.columns.timeMs[0] as number;
}

async function flightsOn(
  { store }: SearchServices,
  { telemetry }: ObservationsConfig,
  date: string,
  keys: readonly FlightKey[],
  signal: AbortSignal,
): Promise<KnownFlight[]> {
  const dayMs = Date.parse(`${date}T00:00:00Z`);
  const fromMs = dayMs - ZONE_MS;
  const toMs = dayMs + DAY_MS + ZONE_MS;
  const memoryMiB = telemetry.memory_mib;
  const flights = keys.map(({ carrier, number }) => ({ airlineIata: carrier, number }));
  const addresses = await findAddresses({ store }, { fromMs, toMs, memoryMiB }, flights);
  if (addresses.length === 0) return [];
  return readFlights({ store }, { fromMs, toMs: toMs + MAX_FLIGHT_MS, memoryMiB, addresses }, signal);
}

async function outcomeOf(
  services: SearchServices,
  satellites: readonly Satellite[],
  known: KnownFlight,
  nowMs: number,
): Promise<SearchOutcome> {
  const { flight } = known;
  const firstMs = startMs(known);
  const lastMs = flight.columns.timeMs.at(-1) as number;
  const pending: string[] = [];
  for (const satellite of satellites) {
    if (!(await isInView(services, satellite, flight))) continue;
    const rolledMs = (await lastRoll(services.database, satellite))?.timeMs ?? Number.NEGATIVE_INFINITY;
    if (rolledMs < lastMs + MAX_AGE_MS) {
      pending.push(`attribution of ${satellite} has not reached ${isoSecond(lastMs + MAX_AGE_MS)} yet`);
      continue;
    }
    await enqueueFlights(services.jobs, satellite, [{ flightId: known.id, firstMs, lastMs }], nowMs);
    pending.push(`attribution of ${satellite} is computed from the archive; ask again in a minute`);
  }
  if (pending.length > 0) return { pending: pending.join('; ') };
  return { results: [uncoveredResult(known, satellites[0] ?? '', firstMs, lastMs)] };
}

/** A flight that no satellite of the archive sees. */
function uncoveredResult(
  { flight, name, points }: KnownFlight,
  satellite: string,
  firstMs: number,
  lastMs: number,
): FlightResult {
  const reason = 'reason' in points ? points.reason : null;
  return {
    satellite,
    instrument: null,
    details: detailsOf(flight, name),
    distance_m: 'reason' in points ? 0 : points.distanceM,
    firstMs,
    lastMs,
    chunks: [],
    framesUsed: 0,
    framesMissing: 0,
    isFinal: true,
    expectedByMs: lastMs + MAX_AGE_MS,
    reason,
    detector: '',
    metSource: null,
    cocipVersion: null,
    isSynthetic: false,
  };
}
