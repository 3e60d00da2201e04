import { once } from 'node:events';
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { HOUR_MS } from '@contrails/runtime';
import type { Log } from '../log.ts';
import { checkIntegrity, type Integrity, requireIntegrity } from './integrity.ts';
import { DamagedDatabaseError } from './sqlite-errors.ts';

/** To start a thread takes longer than to check such a file, some milliseconds. */
const SMALL_BYTES = 2 ** 20;

/** Checks the file of an embedded database now and every hour. */
export function watchIntegrity(path: string, log: Log) {
  let damage: DamagedDatabaseError | undefined;
  const check = async () => {
    try {
      requireIntegrity(path, await checked(path));
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

/** A large file in a separate thread: a compute thread would be missing for requests meanwhile. */
async function checked(path: string): Promise<Integrity> {
  if (statSync(path).size <= SMALL_BYTES) return checkIntegrity({ path, busyMs: 0 });
  const thread = new Worker(new URL('./integrity-thread.ts', import.meta.url), { workerData: { path } });
  thread.unref();
  const [integrity] = await once(thread, 'message');
  return integrity as Integrity;
}
