import { expect, onTestFinished, test, vi } from 'vitest';
import { createSlabMemory } from '../../src/cache/slab-memory.ts';

const axes = { longitude: [0, 1, 2], latitude: [0, 1], level: [200, 300], time: [0, 1] };

test('memory that was given back is used again, without a trace of what was in it', () => {
  const { allocate, recycle } = createSlabMemory(1000);
  const [first] = allocate(['a'], axes).slabs;
  first?.fill(7);
  if (first !== undefined) recycle(first);
  const field = allocate(['a'], axes);
  expect(field.slabs.some((slab) => slab.buffer === first?.buffer)).toBe(true);
  expect(field.slabs.every((slab) => slab.every(Number.isNaN))).toBe(true);
});

test('no two slabs share memory', () => {
  const { allocate, recycle } = createSlabMemory(1000);
  for (const slab of allocate(['a'], axes).slabs) recycle(slab);
  const both = [...allocate(['a'], axes).slabs, ...allocate(['a'], axes).slabs];
  expect(new Set(both.map((slab) => slab.buffer)).size).toBe(4);
});

test('memory of another size waits for its turn', () => {
  const { allocate, recycle } = createSlabMemory(1000);
  const [small] = allocate(['a'], axes).slabs;
  if (small !== undefined) recycle(small);
  expect(allocate(['a', 'b'], axes).slabs[0]?.length).toBe(24);
  expect(allocate(['a'], axes).slabs.some((slab) => slab.buffer === small?.buffer)).toBe(true);
});

test('no more is kept than was agreed', () => {
  const { allocate, recycle } = createSlabMemory(100);
  const slabs = [...allocate(['a'], axes).slabs, ...allocate(['a'], axes).slabs];
  for (const slab of slabs) recycle(slab);
  const again = [...allocate(['a'], axes).slabs, ...allocate(['a'], axes).slabs].map(({ buffer }) => buffer);
  // Each takes 48 bytes: the two that came last.
  expect(slabs.map(({ buffer }) => again.includes(buffer))).toEqual([false, false, true, true]);
});

test('what is of no use for a minute is let go', () => {
  let timeMs = 0;
  const { allocate, recycle } = createSlabMemory(1000, () => timeMs);
  const [old, recent] = allocate(['a'], axes).slabs;
  if (old !== undefined) recycle(old);
  timeMs = 60_000;
  if (recent !== undefined) recycle(recent);
  const again = allocate(['a'], axes).slabs.map(({ buffer }) => buffer);
  expect([old, recent].map((slab) => again.some((buffer) => buffer === slab?.buffer))).toEqual([false, true]);
});

test('all threads see it', () => {
  const { slabs } = createSlabMemory(1000).allocate(['a'], axes);
  expect(slabs.every((slab) => slab.buffer instanceof SharedArrayBuffer)).toBe(true);
});

test('the reserve is let go also when nothing is read any more', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { allocate, recycle, reserveBytes } = createSlabMemory(1000, () => Date.now());
  for (const slab of allocate(['a'], axes).slabs) recycle(slab);
  expect(reserveBytes()).toBe(96);
  vi.advanceTimersByTime(61_000);
  expect(reserveBytes()).toBe(0);
});

test('memory that was let go returns to the system', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { allocate, recycle } = createSlabMemory(2 ** 30, () => Date.now());
  const long = { ...axes, longitude: Array.from({ length: 2_000_000 }, (_, i) => i) };
  const before = process.memoryUsage().arrayBuffers;
  for (const slab of allocate(['a'], long).slabs) recycle(slab);
  const held = process.memoryUsage().arrayBuffers - before;
  vi.advanceTimersByTime(61_000);
  vi.useRealTimers();
  await expect
    .poll(() => process.memoryUsage().arrayBuffers - before, { timeout: 20_000 })
    .toBeLessThan(held / 2);
});
