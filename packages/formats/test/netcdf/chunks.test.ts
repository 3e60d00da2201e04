import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packChunk, unpackChunk } from '../../src/index.ts';

test('a packed chunk holds the values that went in, to the bit', () => {
  fc.assert(
    fc.property(fc.float32Array(), (values) => {
      const bits = (array: Float32Array) => [...new Uint32Array(array.slice().buffer)];
      expect(bits(unpackChunk(packChunk(values)))).toEqual(bits(values));
    }),
  );
});
