import { HOUR_MS } from '@contrails/runtime';
import { type Compute, kernelAt } from '../compute/index.ts';
import type { Log } from '../log.ts';
import { requireIntegrity } from './integrity.ts';
import { DamagedDatabaseError } from './sqlite-errors.ts';

const kernel = kernelAt<typeof import('./integrity.kernel.ts').default>(
  new URL('./integrity.kernel.ts', import.meta.url),
);

/** Checks the file of an embedded database now and every hour, on a compute thread. */
export function watchIntegrity(path: string, compute: Pick<Compute, 'run'>, log: Log) {
  let damage: DamagedDatabaseError | undefined;
  const check = async () => {
    try {
      requireIntegrity(path, await compute.run(kernel, { path }));
      damage = undefined;
    } catch (error) {
      // When the threads or the file are busy, the next hour is early enough.
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
