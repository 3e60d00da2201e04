import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { type Compute, openCompute } from '../../src/compute/index.ts';
import { CancelledError } from '../../src/errors.ts';
import { echo, spin } from './kernels.ts';

const FOREVER_MS = 600_000;
let compute: Compute;
let leaving: AbortController;
let seen: Int32Array<SharedArrayBuffer>;

/** Longer than any of these tests takes, also on a busy machine. */
const PATIENT = { threads: 2, maxQueue: 10, graceMs: FOREVER_MS };

beforeEach(() => {
  compute = openCompute(PATIENT);
  leaving = new AbortController();
  seen = new Int32Array(new SharedArrayBuffer(8));
});

afterEach(() => compute.close());

/** Resolves when a block has begun. */
async function begun(): Promise<void> {
  await until('a block has begun', () => Atomics.load(seen, 0) > 0, { pauseMs: 1 });
}

test('a signal that is already aborted starts nothing', async () => {
  leaving.abort();
  const run = compute.run(spin, { ms: 1, seen }, { signal: leaving.signal });
  await expect(run).rejects.toBeInstanceOf(CancelledError);
  expect(compute.state().started).toBe(0);
});

test('a waiting task leaves the queue without ever running', async () => {
  const busy = [compute.run(spin, { ms: 30 }), compute.run(spin, { ms: 30 })];
  const waiter = compute.run(spin, { ms: 1, seen }, { signal: leaving.signal });
  leaving.abort();
  await expect(waiter).rejects.toBeInstanceOf(CancelledError);
  await Promise.all(busy);
  await compute.run(echo, 1);
  expect(Atomics.load(seen, 0)).toBe(0);
});

test('a running task that looks at its signal ends by itself, and its thread lives on', async () => {
  const run = compute.run(spin, { ms: FOREVER_MS, polite: true, seen }, { signal: leaving.signal });
  await begun();
  const before = compute.state().started;
  leaving.abort();
  await expect(run).rejects.toBeInstanceOf(CancelledError);
  expect(compute.state()).toMatchObject({ started: before, busy: 0, crashes: 0 });
});

test('a running task that ignores its signal is ended with its thread, and work goes on', async () => {
  await compute.close();
  compute = openCompute({ ...PATIENT, graceMs: 100 });
  const run = compute.run(spin, { ms: FOREVER_MS, seen }, { signal: leaving.signal });
  await begun();
  leaving.abort();
  await expect(run).rejects.toBeInstanceOf(CancelledError);
  expect(compute.state()).toMatchObject({ started: 0, busy: 0, crashes: 0 });
  expect(await compute.run(echo, 'again')).toBe('again');
});

test('a task in blocks stops at the next block border on every thread', async () => {
  const run = compute.parallel(spin, { ms: 5, seen }, 100_000, { signal: leaving.signal });
  await begun();
  leaving.abort();
  await expect(run).rejects.toBeInstanceOf(CancelledError);
  const [started, finished] = seen;
  expect(finished).toBe(started);
  expect(started).toBeLessThan(50_000);
});

test('only the cancelled task is touched', async () => {
  const other = compute.run(spin, { ms: 300, seen: new Int32Array(new SharedArrayBuffer(8)) });
  const run = compute.run(spin, { ms: FOREVER_MS, polite: true, seen }, { signal: leaving.signal });
  await begun();
  leaving.abort();
  await expect(run).rejects.toBeInstanceOf(CancelledError);
  expect(await other).toBe('spun');
});

test('the reason of the abort is kept', async () => {
  const run = compute.run(spin, { ms: FOREVER_MS, polite: true }, { signal: leaving.signal });
  leaving.abort(new Error('client hung up'));
  await expect(run).rejects.toMatchObject({ cause: { message: 'client hung up' } });
});

test('aborting after the end changes nothing', async () => {
  expect(await compute.run(echo, 1, { signal: leaving.signal })).toBe(1);
  leaving.abort();
  expect(await compute.run(echo, 2)).toBe(2);
});
