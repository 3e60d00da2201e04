/** Attribution as background jobs: one for each satellite that goes on with its next frames, one for a flight of the past. */

import { DAY_MS, isoSecond } from '@contrails/runtime';
import { Type } from 'typebox';
import { defineJob, handleJob, type JobHandler, type Jobs, requestJob } from '../../../jobs/index.ts';
import { PRIORITY } from '../../../jobs/priorities.ts';
import type { ObservationRules, ObservationsConfig, Satellite } from '../config.ts';
import { SATELLITES } from '../config.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { followAgain, type RollServices, rollOnce } from './roll.ts';
import { putFlight } from './table.ts';

const satelliteName = Type.Unsafe<Satellite>(Type.Union(SATELLITES.map((name) => Type.Literal(name))));

const rollKind = defineJob({
  name: 'observations.attribute',
  payload: Type.Object({ satellite: satelliteName, turn: Type.Integer() }),
  attempts: 3,
});

const flightKind = defineJob({
  name: 'observations.flight',
  payload: Type.Object({
    satellite: satelliteName,
    flightId: Type.String(),
    firstMs: Type.Integer(),
    lastMs: Type.Integer(),
  }),
  attempts: 3,
});

/** Turns of one job: each takes the frames of an hour at most. */
const MAX_TURNS = 24;
/** The next look at a satellite is another job. */
const TURN_MS = 60_000;

/** Flights of hours and their weather need much memory. */
const takeTurn = oneAtATime();

/** Queues the next frames of every satellite that has any. */
export async function enqueueRolls(
  jobs: Pick<Jobs, 'enqueueAll'>,
  { sources, attributes }: ObservationRules,
  nowMs: number,
): Promise<void> {
  if (!attributes) return;
  const turn = Math.floor(nowMs / TURN_MS);
  const satellites = new Set(sources.filter(({ isEnabled }) => isEnabled).map((one) => one.satellite));
  await jobs.enqueueAll(
    [...satellites].map((name) =>
      requestJob(
        rollKind,
        { satellite: name, turn },
        { key: `${name}/${turn}`, priority: PRIORITY.attribution },
      ),
    ),
  );
}

export interface PastFlight {
  readonly flightId: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Queues flights whose frames are all in the archive but that were not followed; a flight is one job for a day. */
export async function enqueueFlights(
  jobs: Pick<Jobs, 'enqueueAll'>,
  of: Satellite,
  flights: readonly PastFlight[],
  nowMs: number,
): Promise<void> {
  await jobs.enqueueAll(
    flights.map((flight) =>
      requestJob(
        flightKind,
        { satellite: of, ...flight },
        {
          key: `${of}/${flight.flightId}/${Math.floor(nowMs / DAY_MS)}`,
          priority: PRIORITY.attributedFlight,
        },
      ),
    ),
  );
}

export function attributionHandlers(services: RollServices, config: ObservationsConfig): JobHandler[] {
  return [
    handleJob(rollKind, async ({ satellite: name }, { signal }) => {
      // A job that waits for its turn would keep others from a place in the worker.
      if (isRolling) return { skipped: 'another turn is under way' };
      isRolling = true;
      try {
        return await takeTurn(() => rollOn(services, config, name, signal));
      } finally {
        isRolling = false;
      }
    }) as JobHandler,
    handleJob(flightKind, ({ satellite: name, ...flight }, { signal }) =>
      takeTurn(async () => {
        const found = await followAgain(services, config, name, flight, signal);
        if (found === undefined) return { skipped: 'the flight is not in view of the archive' };
        await putFlight(services.database, found, Date.now());
        return { flight: flight.flightId, until: isoSecond(flight.lastMs) };
      }),
    ) as JobHandler,
  ];
}

let isRolling = false;

async function rollOn(
  services: RollServices,
  config: ObservationsConfig,
  satellite: Satellite,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  let [frames, flights] = [0, 0];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const outcome = await rollOnce(services, config, satellite, signal);
    if ('waiting' in outcome) return { frames, flights, waiting: outcome.waiting };
    frames += outcome.frames;
    flights += outcome.flights;
  }
  return { frames, flights };
}
