/** Syncs a run in a separate process, which the test may kill, or which ends after some writes: `sync.ts DIRECTORY ROOT HOURS [WRITES]`. */
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { PROVIDERS, syncSource } from '../../../src/providers/index.ts';

const [directory = '', root = '', hours = '', writes] = process.argv.slice(2);
let left = Number(writes ?? Number.POSITIVE_INFINITY);
for (const name of ['rename', 'link', 'writeFile', 'mkdir', 'rm'] as const) {
  const write = fs[name] as (...args: unknown[]) => Promise<unknown>;
  Object.assign(fs, {
    [name]: async (...args: unknown[]) => {
      const result = await write(...args);
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return result;
    },
  });
}
syncBuiltinESMExports();
const provider = PROVIDERS.find(({ name }) => name === 'ecmwf');
if (provider === undefined) throw new Error('there is no provider');
process.send?.('begins');
try {
  const [result] = await syncSource(provider, {
    directory,
    roots: [root],
    runMs: Date.parse('2026-09-14T00:00Z'),
    asOfMs: Date.parse('2026-09-14T13:00Z'),
    hours: Number(hours),
    pauseMs: 1,
  });
  process.send?.(result?.state);
} catch (error) {
  process.send?.((error as Error).message);
  process.exitCode = (error as { kind?: string }).kind === 'locked' ? 3 : 1;
}
process.disconnect?.();
