import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { HOUR_MS } from '@contrails/runtime';
import type { Log } from '../log.ts';
import { type Integrity, type IntegrityWork, requireIntegrity } from './integrity.ts';
import { DamagedDatabaseError } from './sqlite-errors.ts';

/** Checks the file of an embedded database now and every hour. */
export function watchIntegrity(path: string, log: Log) {
  let damage: DamagedDatabaseError | undefined;
  const check = async () => {
    try {
      requireIntegrity(path, await checkInThread({ path }));
      damage = undefined;
    } catch (error) {
      // When the file is busy, the next hour is early enough.
      if (!(error instanceof DamagedDatabaseError)) return;
      damage = error;
      log.error({ err: error }, error.message);
    }
  };
  void check();
  const timer = setInterval(() => void check(), HOUR_MS).unref();
  return {
    /** Throws when the last check found damage. */
    requireWhole() {
      if (damage !== undefined) throw damage;
    },
    /** Does not wait for a check that runs. */
    close: () => clearInterval(timer),
  };
}

/** In a separate thread: a compute thread would be missing for requests meanwhile. */
async function checkInThread(work: IntegrityWork): Promise<Integrity> {
  const thread = new Worker(new URL('./integrity-thread.ts', import.meta.url), { workerData: work });
  thread.unref();
  const [integrity] = await once(thread, 'message');
  return integrity as Integrity;
}
