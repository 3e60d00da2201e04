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
  expect(() => new Arena(Number.MAX_SAFE_INTEGER).allocate(8)).toThrow(/lower met\.memory_mib/);
});

test('no two blocks overlap in any history, and all memory comes back', () => {
  const step = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.record({ free: fc.nat() }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const arena = new Arena(1024);
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
        });
        expect(arena.usedBytes).toBe(blocks.reduce((sum, { byteLength }) => sum + byteLength, 0));
      }
      for (const block of blocks) arena.free(block);
      expect(arena.allocate(1024)?.byteLength).toBe(1024);
    }),
  );
});
