import { expect, test } from 'vitest';
import { crc32c } from '../../../src/sources/zarr/codecs.ts';

// RFC 3720, appendix B.4
test.each([
  ['32 zeros', new Uint8Array(32), 0x8a9136aa],
  ['32 ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ['counting up', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ['no bytes', new Uint8Array(0), 0],
])('computes the checksum of %s', (_, bytes, expected) => {
  expect(crc32c(bytes)).toBe(expected);
});
