import { expect, test } from 'vitest';
import { makePlumes } from '../../src/cocip/plumes.ts';
import { InputError } from '../../src/errors.ts';
import { memory, scoped, takeNumbers } from '../../src/vector/wasm/memory.ts';

test('what is taken does not overlap and begins at multiples of 16 bytes', () => {
  scoped(() => {
    const first = takeNumbers(3);
    const second = takeNumbers(1);
    expect(first.byteOffset % 16).toBe(0);
    expect(second.byteOffset % 16).toBe(0);
    expect(second.byteOffset).toBeGreaterThanOrEqual(first.byteOffset + first.byteLength);
  });
});

test('work gives back what it took, also when it fails', () => {
  const place = () => scoped(() => takeNumbers(1).byteOffset);
  const before = place();
  expect(() =>
    scoped(() => {
      takeNumbers(1000);
      throw new RangeError('stop');
    }),
  ).toThrow('stop');
  expect(place()).toBe(before);
});

test('memory grows without taking away what was taken before', () => {
  scoped(() => {
    const small = takeNumbers(2).fill(7);
    const large = takeNumbers(memory.buffer.byteLength / 8).fill(1);
    expect([...small]).toEqual([7, 7]);
    small[0] = 8;
    expect(new Float64Array(memory.buffer, small.byteOffset, 1)[0]).toBe(8);
    expect(large.at(-1)).toBe(1);
  });
});

test('more rows than kernels can address are refused with the remedy, and leave the memory as it was', () => {
  const before = memory.buffer.byteLength;
  const refused = () => scoped(() => makePlumes(4_000_000));
  expect(refused).toThrow(InputError);
  expect(refused).toThrow(
    /needs \d+ MiB of kernel memory at once, of at most 2048 MiB; compute fewer points/,
  );
  expect(memory.buffer.byteLength).toBe(before);
  expect(scoped(() => makePlumes(4).columns.flight.length)).toBe(4);
});
