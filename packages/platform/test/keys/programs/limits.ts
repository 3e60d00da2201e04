import { createLimits } from '../../../src/keys/index.ts';
import { openDatabase } from '../../support/database.ts';

/** A key, and how many grants of it a process asks for. */
export interface AskedKey {
  readonly id: string;
  readonly ratePerMinute: number;
  readonly concurrency: number;
  readonly asks: number;
}

/** A server process: asks for grants of keys and prints how many it got of each. */
const [database = '', directory = '', mode = '', keys = '[]'] = process.argv.slice(2);

const opened = await openDatabase({ database, directory });
// A clock that stands still earns nothing: the rate is exactly what the bucket holds.
const limits = createLimits(opened, mode === 'rate' ? { now: () => 1_767_225_600_000 } : {});
const counts = await Promise.all(
  (JSON.parse(keys) as AskedKey[]).map(async ({ asks, ...key }) => {
    const decisions = await Promise.all(
      Array.from({ length: asks }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, index % 50));
        const decision = await limits.acquire(key);
        if (mode === 'rate' && decision.granted) decision.release();
        return decision;
      }),
    );
    return decisions.filter((decision) => decision.granted).length;
  }),
);
process.stdout.write(`${JSON.stringify(counts)}\n`);
if (mode === 'hold') {
  // Until it is killed, as a server would be.
  setInterval(() => undefined, 1_000);
} else {
  await limits.close();
  await opened.close();
}
