import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../src/threads/index.ts';

/** A registry that is garbage itself reports nothing. */
let registry: FinalizationRegistry<undefined>;

test('old garbage that is collected soon is gone a little later', async () => {
  let isGone = false;
  registry = new FinalizationRegistry(() => {
    isGone = true;
  });
  let floats: Float64Array | undefined = new Float64Array(new SharedArrayBuffer(8_000_000));
  registry.register(floats, undefined);
  // Twice, and it is no longer young.
  for (let i = 0; i < 2; i++) collectGarbage('minor');
  floats = undefined;
  const before = process.memoryUsage().arrayBuffers;
  collectGarbage('soon');
  await sleep(20);
  // What it claims to make V8 begin would be counted as buffers in use.
  expect(process.memoryUsage().arrayBuffers).toBeLessThan(before + 2 ** 25);
  for (let ms = 0; !isGone && ms < 2000; ms += 20) await sleep(20);
  expect(isGone).toBe(true);
});
