import { createLimits } from '../../../src/keys/index.ts';
import { openDatabase } from '../../../src/migrations.ts';

/** A server process: asks for `asks` grants of one key and prints how many it got. */
const [database = '', directory = '', id = '', rate = '', concurrency = '', mode = '', asks = ''] =
  process.argv.slice(2);

const opened = await openDatabase({ database, directory });
// A clock that stands still earns nothing: the rate is exactly what the bucket holds.
const limits = createLimits(opened, mode === 'rate' ? { now: () => 1_767_225_600_000 } : {});
const key = { id, ratePerMinute: Number(rate), concurrency: Number(concurrency) };
const decisions = await Promise.all(
  Array.from({ length: Number(asks) }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, index % 50));
    const decision = await limits.acquire(key);
    if (mode === 'rate' && decision.granted) decision.release();
    return decision;
  }),
);
process.stdout.write(`${decisions.filter((decision) => decision.granted).length}\n`);
if (mode === 'hold') {
  // Until it is killed, as a server would be.
  setInterval(() => undefined, 1_000);
} else {
  await limits.close();
  await opened.close();
}
