import { randomInt } from 'node:crypto';
import { writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ConflictError } from '@contrails/runtime/errors';
import { openStore } from '../../../src/store/index.ts';
import { COUNTER, type Counts, type WriterTask } from '../store-kill.ts';
import { selfProving } from '../store-kill-losses.ts';

/**
 * Writes objects and counts in a shared manifest, and reports what it has done line by line, before it does
 * anything else. Ends after its steps, or when it is killed.
 */
const task = JSON.parse(process.argv[2] ?? '') as WriterTask;
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, 500).unref();

const store = await openStore(task.address, task.access);
// Synchronous, so no report is lost when the process is killed.
const report = (...words: (string | number)[]) => writeSync(1, `${words.join(' ')}\n`);

report('ready');
for (let step = 1; step <= task.steps; step += 1) {
  if (!task.countsOnly) {
    await putOwn(step);
    await putShared();
  }
  report('counted', await count());
}
await store.close();

async function putOwn(step: number): Promise<void> {
  const key = `own/${task.id}/${step}.bin`;
  const { sha256 } = await store.put(key, body());
  report('put', key, sha256);
  if (step % 3 !== 0) return;
  report('removing', key);
  await store.remove(key);
  report('removed', key);
}

async function putShared(): Promise<void> {
  await store.put(`shared/${randomInt(6)}.bin`, body());
}

async function count(): Promise<number> {
  for (;;) {
    const found = await store.read(COUNTER);
    const counts = found ? (JSON.parse(await text(found.body)) as Counts) : {};
    const mine = (counts[task.id] ?? 0) + 1;
    const next = Buffer.from(JSON.stringify({ ...counts, [task.id]: mine }));
    try {
      await store.replace(COUNTER, next, found?.info.sha256 ?? null);
      return mine;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

function body(): Buffer | Readable {
  const bytes = selfProving(randomInt(2) === 0 ? randomInt(2_000) : randomInt(1_000_000));
  if (randomInt(2) === 0) return bytes;
  const middle = randomInt(bytes.length);
  return Readable.from([bytes.subarray(0, middle), bytes.subarray(middle)]);
}
