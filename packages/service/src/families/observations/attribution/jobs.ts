/** Attribution as background jobs: one that goes on with the next frames of all satellites, one for each flight of the past. */

import { randomUUID } from 'node:crypto';
import { leaseSource, releaseSource, whileLeased } from '@contrails/platform/feeds/leases';
import {
  defineJob,
  handleJob,
  type JobHandler,
  type JobRecord,
  type Jobs,
  requestJob,
} from '@contrails/platform/jobs';
import type { JobContext } from '@contrails/platform/jobs/jobs';
import { createLimiter, DAY_MS, isoSecond } from '@contrails/runtime';
import { Type } from 'typebox';
import type { ObservationRules, ObservationsConfig, Satellite } from '../config.ts';
import { SATELLITES } from '../config.ts';
import { advanceOnce, followAgain, type RollOutcome, type RollServices } from './roll.ts';
import { putFlight } from './table.ts';

const satelliteName = Type.Unsafe<Satellite>(Type.Union(SATELLITES.map((name) => Type.Literal(name))));

/** Flights of the next images of a satellite. */
export const rollKind = defineJob({
  name: 'observations.attribute',
  payload: Type.Object({ turn: Type.Integer() }),
  attempts: 3,
  priority: 860,
});

/** A past flight that a client has asked for. */
export const flightKind = defineJob({
  name: 'observations.flight',
  payload: Type.Object({
    satellite: satelliteName,
    flightId: Type.String(),
    firstMs: Type.Integer(),
    lastMs: Type.Integer(),
  }),
  attempts: 3,
  priority: 500,
  subject: ({ satellite, flightId }) => `${satellite} ${flightId}`,
});

/** Turns of one job: each takes the frames of a satellite of an hour at most. */
const MAX_TURNS = 24;
/** Each period of this length has one job. */
const TURN_MS = 60_000;
/** A process that stands still for so long loses the satellite to another one. */
const LEASE_MS = 20_000;

/** Flights of hours and their weather need much memory. */
const runExclusive = createLimiter(1);

/** Queues the next frames of the satellites. */
export async function enqueueRolls(
  jobs: Pick<Jobs, 'enqueueAll'>,
  rules: ObservationRules,
  nowMs: number,
): Promise<void> {
  if (satellitesOf(rules).length === 0) return;
  const turn = Math.floor(nowMs / TURN_MS);
  await jobs.enqueueAll([requestJob(rollKind, { turn }, { key: String(turn) })]);
}

/** Those whose contrails are attributed. */
function satellitesOf({ sources, attributes }: ObservationRules): Satellite[] {
  if (!attributes) return [];
  return [...new Set(sources.filter(({ isEnabled }) => isEnabled).map(({ satellite }) => satellite))];
}

export interface PastFlight {
  readonly flightId: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

/**
 * Queues a flight whose frames are all in the archive but that was not followed; it is one job for a day. Returns the job if it
 * was queued before.
 */
export async function enqueueFlight(
  jobs: Pick<Jobs, 'enqueueAll' | 'get'>,
  of: Satellite,
  flight: PastFlight,
  nowMs: number,
): Promise<JobRecord | undefined> {
  const key = `${of}/${flight.flightId}/${Math.floor(nowMs / DAY_MS)}`;
  const options = { key };
  const [job] = await jobs.enqueueAll([requestJob(flightKind, { satellite: of, ...flight }, options)]);
  return job === undefined || job.created ? undefined : jobs.get(job.id);
}

export function attributionHandlers(
  services: RollServices,
  config: ObservationsConfig,
  rules: ObservationRules,
): JobHandler[] {
  let isRolling = false;
  return [
    handleJob(rollKind, async (_, context) => {
      // A job that waits for its turn would keep others from a place in the worker, and the one that runs takes all satellites.
      if (isRolling) return { skipped: 'the job before it is still taking the frames of all satellites' };
      isRolling = true;
      try {
        return await rollAll(services, config, satellitesOf(rules), context);
      } finally {
        isRolling = false;
      }
    }) as JobHandler,
    handleJob(flightKind, ({ satellite: name, ...flight }, { signal }) =>
      runExclusive(async () => {
        const found = await followAgain(services, config, name, flight, signal);
        if (found === undefined) return { skipped: 'the flight is not in view of the archive' };
        await putFlight(services.database, found, Date.now());
        return { flight: flight.flightId, until: isoSecond(flight.lastMs) };
      }),
    ) as JobHandler,
  ];
}

interface Rolled {
  frames: number;
  flights: number;
  waiting?: string;
}

/** Takes turns with the satellites until each waits for something. One that fails does not keep the others from theirs. */
async function rollAll(
  services: RollServices,
  config: ObservationsConfig,
  satellites: readonly Satellite[],
  { signal, log }: Pick<JobContext, 'signal' | 'log'>,
): Promise<Readonly<Record<string, Rolled>>> {
  const rolled: Record<string, Rolled> = {};
  const errors: unknown[] = [];
  const queue = [...satellites];
  for (let turn = 0; turn < Math.max(MAX_TURNS, satellites.length); turn++) {
    const satellite = queue.shift();
    if (satellite === undefined) break;
    rolled[satellite] ??= { frames: 0, flights: 0 };
    const tally = rolled[satellite];
    try {
      const outcome = await runExclusive(() => rollLeased(services, config, satellite, signal));
      if ('waiting' in outcome) {
        tally.waiting = outcome.waiting;
        continue;
      }
      tally.frames += outcome.frames;
      tally.flights += outcome.flights;
      queue.push(satellite);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, satellite }, 'the next frames of a satellite cannot be attributed now');
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return rolled;
}

/** One turn of a satellite, which no other process takes meanwhile. */
async function rollLeased(
  services: RollServices,
  config: ObservationsConfig,
  satellite: Satellite,
  signal: AbortSignal,
): Promise<RollOutcome> {
  const { database } = services;
  const lease = { table: 'observation_satellites', source: satellite } as const;
  const owner = randomUUID();
  await database.execute(
    'INSERT INTO observation_satellites (name) VALUES ($1) ON CONFLICT (name) DO NOTHING',
    [satellite],
  );
  if (!(await leaseSource(database, lease, owner, Date.now(), Date.now() + LEASE_MS))) {
    return { waiting: 'another process, which is at the same frames' };
  }
  try {
    return await whileLeased(database, { ...lease, owner, leaseMs: LEASE_MS }, signal, (held) =>
      advanceOnce(services, config, satellite, held),
    );
  } finally {
    await releaseSource(database, lease, owner).catch(() => undefined);
  }
}
