/** Syncs a run in a process of its own, which the test may kill: `sync.ts DIRECTORY ROOT HOURS`. */
import { PROVIDERS, syncSource } from '../../../src/providers/index.ts';

const [directory = '', root = '', hours = ''] = process.argv.slice(2);
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
