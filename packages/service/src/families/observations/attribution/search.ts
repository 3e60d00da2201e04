/**
 * Flights that are asked for and have no result. The index shows at once which of them telemetry lacks; a job looks
 * for the others, because their tracks lie in the files of several days.
 */

import { type FlightKey, isNamed, parseFlightKey } from '@contrails/engine/attribution/flight-key';
import type { KnownFlight } from '@contrails/engine/attribution/known-flights';
import { detailsOf, type FlightResult } from '@contrails/engine/attribution/results';
import { MAX_AGE_MS } from '@contrails/engine/attribution/roll-frames';
import { exclusionsOf, isExcluded } from '@contrails/engine/inventory/leg-record';
import type { Queryable } from '@contrails/platform/database/database';
import {
  defineJob,
  handleJob,
  type JobHandler,
  type JobRecord,
  type Jobs,
  requestJob,
} from '@contrails/platform/jobs';
import { jobId } from '@contrails/platform/jobs/identity';
import { createLimiter, isoSecond } from '@contrails/runtime';
import { Type } from 'typebox';
import type { Services } from '../../../services.ts';
import type { ObservationRules, ObservationsConfig, Satellite } from '../config.ts';
import { EXPECTED_MS } from '../frames/table.ts';
import { departureSpan, findDesignated } from './flight-index.ts';
import { MAX_FLIGHT_MS, readFlights } from './flights.ts';
import { enqueueFlight } from './jobs.ts';
import { isInView } from './roll.ts';
import { lastRoll } from './table.ts';

type SearchJobs = Pick<Jobs, 'enqueueAll' | 'get' | 'list'>;

/** What is known of a flight without a result: results that are not stored, or why there is none yet. */
export type SearchOutcome =
  | { readonly results: readonly FlightResult[] }
  | { readonly detail: 'pending' | 'not_analyzed'; readonly reason: string }
  | 'unknown';

/** The track of a flight that a client has asked for: takes seconds. */
export const searchKind = defineJob({
  name: 'observations.search',
  payload: Type.Object({ flight: Type.String(), turn: Type.Integer() }),
  attempts: 3,
  priority: 870,
  subject: ({ flight }) => flight,
});

/** What the job found: a flight out of view of some satellites, and what keeps others from a result. */
type Found =
  | { readonly isKnown: false }
  | {
      readonly isKnown: true;
      readonly pending: Readonly<Record<string, string>>;
      readonly outOfView: FlightResult;
    };

/** What was found counts for so long; after it the flight is looked for again. */
const TURN_MS = 10 * 60_000;
/** Searches that may wait for a worker. */
const MAX_QUEUED = 100;

/** What is known of each flight, by its text. */
export async function searchFlights(
  { database, jobs }: { readonly database: Queryable; readonly jobs: SearchJobs },
  { satellites, isIndexed }: { readonly satellites: readonly Satellite[]; readonly isIndexed: boolean },
  keys: readonly FlightKey[],
  signal: AbortSignal,
  nowMs = Date.now(),
): Promise<ReadonlyMap<string, SearchOutcome>> {
  const outcomes = new Map<string, SearchOutcome>();
  const searched: FlightKey[] = [];
  for (const key of keys) {
    signal.throwIfAborted();
    const { addresses, isComplete } = await findDesignated(database, key);
    if (addresses.length > 0) searched.push(key);
    else if (isComplete) outcomes.set(key.text, 'unknown');
    else if (!isIndexed) {
      const reason = 'no satellite is configured; the operator sets observations.sources';
      outcomes.set(key.text, { detail: 'not_analyzed', reason });
    } else {
      outcomes.set(key.text, {
        detail: 'pending',
        reason: `telemetry of ${key.date} is still being indexed; ask again in a minute`,
      });
    }
  }
  if (searched.length === 0) return outcomes;
  const { jobs: waiting } = await jobs.list({ kind: searchKind.name, state: 'queued', limit: MAX_QUEUED });
  let free = MAX_QUEUED - waiting.length;
  const turn = Math.floor(nowMs / TURN_MS);
  for (const { text } of searched) {
    signal.throwIfAborted();
    const [before, current] = await Promise.all([turn - 1, turn].map((of) => jobs.get(searchId(text, of))));
    const isQueued = current !== undefined || free > 0;
    if (current === undefined && free > 0) {
      const options = { key: searchKey(text, turn) };
      await jobs.enqueueAll([requestJob(searchKind, { flight: text, turn }, options)]);
      free--;
    }
    // What was found before counts until it is found again.
    const found = [current, before].find((job) => job?.state === 'done')?.result as Found | undefined;
    outcomes.set(text, found === undefined ? pendingSearch(isQueued, current) : outcomeOf(found, satellites));
  }
  return outcomes;
}

function searchKey(flight: string, turn: number): string {
  return `${flight}/${turn}`;
}

function searchId(flight: string, turn: number): string {
  return jobId(searchKind.name, null, searchKey(flight, turn));
}

function pendingSearch(isQueued: boolean, job: JobRecord | undefined): SearchOutcome {
  if (!isQueued) {
    const reason = `${MAX_QUEUED} flights are being looked for already; ask again in some minutes`;
    return { detail: 'pending', reason };
  }
  const reason =
    job?.state === 'failed'
      ? 'its track cannot be read from telemetry now; ask again in some minutes'
      : 'its track is being read from telemetry; ask again in a minute';
  return { detail: 'pending', reason };
}

function outcomeOf(found: Found, satellites: readonly Satellite[]): SearchOutcome {
  if (!found.isKnown) return 'unknown';
  const pending = satellites.flatMap((satellite) => found.pending[satellite] ?? []);
  if (pending.length > 0) return { detail: 'pending', reason: pending.join('; ') };
  return { results: [{ ...found.outOfView, satellite: satellites[0] ?? '' }] };
}

/** Tracks of some days are read: one at a time. */
const runExclusive = createLimiter(1);

export function searchHandler(
  services: Pick<Services, 'database' | 'store' | 'jobs'>,
  config: ObservationsConfig,
  rules: ObservationRules,
): JobHandler {
  return handleJob(searchKind, async ({ flight }, { signal }): Promise<Found> => {
    const key = parseFlightKey(flight);
    if ('wrong' in key) return { isKnown: false };
    const known = await runExclusive(() => findTrack(services, config, key, signal));
    return known === undefined ? { isKnown: false } : describe(services, rules, known, Date.now());
  }) as JobHandler;
}

/**
 * The flight that a key names: of several the one with most minutes of cruise, of equal ones the earliest. Those that the
 * operator leaves out are not found.
 */
async function findTrack(
  { database, store }: Pick<Services, 'database' | 'store'>,
  { telemetry, inventory }: ObservationsConfig,
  key: FlightKey,
  signal: AbortSignal,
): Promise<KnownFlight | undefined> {
  const { addresses } = await findDesignated(database, key);
  if (addresses.length === 0) return undefined;
  const { fromMs, toMs } = departureSpan(key);
  const query = { fromMs, toMs: toMs + MAX_FLIGHT_MS, memoryMiB: telemetry.memory_mib, addresses };
  const flights = await readFlights({ database, store }, query, signal);
  const exclusions = exclusionsOf(inventory);
  const [best] = flights
    .filter(({ name, flight }) =>
      isNamed(key, { name, callsign: flight.callsign, firstMs: flight.firstReportMs }),
    )
    .filter(({ flight }) => !isExcluded(flight.icaoAddress, flight.airlineIata, exclusions))
    .sort((a, b) => cruisePoints(b) - cruisePoints(a) || startMs(a) - startMs(b));
  return best;
}

function cruisePoints({ points }: KnownFlight): number {
  return 'reason' in points ? 0 : points.timeMs.length;
}

function startMs({ flight }: KnownFlight): number {
  return flight.columns.timeMs[0] as number;
}

/** Has the flight followed through the archive of the satellites that are past it. */
async function describe(
  { database, jobs }: Pick<Services, 'database' | 'jobs'>,
  { sources, attributes }: ObservationRules,
  known: KnownFlight,
  nowMs: number,
): Promise<Found> {
  const { flight } = known;
  const firstMs = startMs(known);
  const lastMs = flight.columns.timeMs.at(-1) as number;
  const pending: Record<string, string> = {};
  for (const satellite of new Set(sources.map((one) => one.satellite))) {
    if (!(await isInView({ database }, satellite, flight))) continue;
    const rolledMs = attributes
      ? ((await lastRoll(database, satellite))?.timeMs ?? Number.NEGATIVE_INFINITY)
      : nowMs - EXPECTED_MS;
    if (rolledMs < lastMs + MAX_AGE_MS) {
      pending[satellite] =
        `attribution of ${satellite} has not reached ${isoSecond(lastMs + MAX_AGE_MS)} yet`;
      continue;
    }
    const job = await enqueueFlight(jobs, satellite, { flightId: known.id, firstMs, lastMs }, nowMs);
    const result = job?.result as { readonly skipped?: string } | null | undefined;
    // The archive was searched, and does not show it.
    if (result?.skipped !== undefined) continue;
    pending[satellite] =
      job?.state === 'failed'
        ? `attribution of ${satellite} failed and is tried again tomorrow`
        : `attribution of ${satellite} is computed from the archive; ask again in a minute`;
  }
  return { isKnown: true, pending, outOfView: outOfViewResult(known, firstMs, lastMs) };
}

/** A flight that no satellite of the archive sees. */
function outOfViewResult(
  { flight, name, points }: KnownFlight,
  firstMs: number,
  lastMs: number,
): FlightResult {
  const reason = 'reason' in points ? points.reason : null;
  return {
    satellite: '',
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
