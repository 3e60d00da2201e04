import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Arena, type Block } from '../../src/cache/arena.ts';

test('blocks lie side by side from the start, and what is freed is joined', () => {
  const arena = new Arena(64);
  const [a, b, c] = [arena.allocate(16), arena.allocate(16), arena.allocate(16)] as [Block, Block, Block];
  expect([a, b, c].map(({ byteOffset }) => byteOffset)).toEqual([0, 16, 32]);
  expect([arena.usedBytes, arena.reachedBytes]).toEqual([48, 48]);
  arena.free(a);
  arena.free(c);
  expect(arena.allocate(40)).toBeUndefined();
  arena.free(b);
  expect(arena.allocate(64)).toEqual({ byteOffset: 0, byteLength: 64 });
});

test('memory is taken as blocks reach into it, and is shared', () => {
  const arena = new Arena(2 ** 30);
  expect(arena.reachedBytes).toBe(0);
  const block = arena.allocate(10) as Block;
  expect(block.byteLength).toBe(16);
  const floats = arena.floats(block, 2);
  expect(floats.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(arena.reachedBytes).toBe(16);
});

test('memory that the system does not give is an error with the remedy', () => {
  const arena = new Arena(Number.MAX_SAFE_INTEGER, { regionBytes: Number.MAX_SAFE_INTEGER });
  expect(() => arena.allocate(8)).toThrow(/lower met\.memory_mib/);
});

test('threads see the same memory beyond 4 GiB', async () => {
  const GIBIBYTE = 2 ** 30;
  const arena = new Arena(6 * GIBIBYTE);
  const blocks = Array.from({ length: 7 }, () => arena.allocate(0.75 * GIBIBYTE) as Block);
  const thread = new Worker(
    `const { parentPort } = require('node:worker_threads');
     parentPort.on('message', (lists) => parentPort.postMessage(lists.map((floats, k) => (floats[0] = k + 1))));
     parentPort.on('messageerror', (error) => { throw error; });`,
    { eval: true },
  );
  const floats = blocks.map((block) => arena.floats(block, 1));
  const answer = once(thread, 'message');
  thread.postMessage(floats);
  await answer;
  expect(floats.map(([first]) => first)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  await thread.terminate();
});

test.each([
  [1024, 0],
  [304, 3],
])(
  'in regions of %i bytes no two blocks overlap in any history, and all memory comes back',
  (regionSize, last) => {
    const step = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.record({ free: fc.nat() }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const arena = new Arena(1024, { regionBytes: regionSize });
        const blocks: Block[] = [];
        for (const one of steps) {
          if (typeof one === 'number') {
            const block = arena.allocate(one);
            if (block !== undefined) blocks.push(block);
          } else if (blocks.length > 0) {
            const [block] = blocks.splice(one.free % blocks.length, 1) as [Block];
            arena.free(block);
          }
          const sorted = blocks.toSorted((a, b) => a.byteOffset - b.byteOffset);
          sorted.forEach((block, i) => {
            const next = sorted[i + 1]?.byteOffset ?? arena.limitBytes;
            expect(block.byteOffset + block.byteLength).toBeLessThanOrEqual(next);
            // All of it is in one region.
            expect(arena.floats(block, block.byteLength / 4)).toHaveLength(block.byteLength / 4);
          });
          expect(arena.usedBytes).toBe(blocks.reduce((sum, { byteLength }) => sum + byteLength, 0));
        }
        for (const block of blocks) arena.free(block);
        const whole = Array.from({ length: last + 1 }, (_, k) => Math.min(regionSize, 1024 - k * regionSize));
        expect(whole.map((bytes) => arena.allocate(bytes)?.byteLength)).toEqual(whole);
      }),
    );
  },
);
