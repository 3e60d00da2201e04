/** An installation's sky as it changes, for commands: read from database and store, wherever it is computed. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FlightFeature } from '@contrails/engine/live/flight-features';
import type { LiveSummary } from '@contrails/engine/live/summary';
import { SECOND_MS } from '@contrails/runtime';
import { NotFoundError } from '@contrails/runtime/errors';
import type { Services } from '../../services.ts';
import { type BoardLog, openBoard } from './board.ts';
import type { LiveConfig } from './config.ts';
import { readRow } from './published.ts';

export interface SkyUpdate {
  readonly cycle: number;
  readonly summary: LiveSummary | null;
  readonly flights: readonly FlightFeature[];
  /** Those that are not as they were in the update before. */
  readonly changed: readonly FlightFeature[];
}

/** Throws a `NotFoundError` where no cycle was ever published. */
export async function* followSky(
  services: Pick<Services, 'database' | 'store'>,
  config: LiveConfig,
  log: BoardLog,
  signal: AbortSignal,
): AsyncGenerator<SkyUpdate> {
  if ((await readRow(services.database))?.key == null) {
    throw new NotFoundError(
      'no live contrails were computed here; set live.enabled to true, configure a feed in telemetry.sources, and start "contrails serve"',
    );
  }
  const { board, release } = await openBoard(services, config, log);
  try {
    await board.hasReports;
    let before: ReadonlyMap<string, FlightFeature> = new Map();
    let cycle = 0;
    while (!signal.aborted) {
      const { sky, flights } = board;
      const changed = [...flights.values()].filter((one) => before.get(one.properties.icao_address) !== one);
      if (sky !== undefined && (changed.length > 0 || sky.cycle !== cycle)) {
        before = new Map(flights);
        cycle = sky.cycle;
        yield { cycle, summary: sky.summary, flights: [...flights.values()], changed };
      }
      await pause(SECOND_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await release();
  }
}
