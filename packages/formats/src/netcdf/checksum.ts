/** Jenkins' lookup3 hash, with which HDF5 protects its metadata. */
export function lookup3(bytes: Uint8Array): number {
  let a = (0xdeadbeef + bytes.length) | 0;
  let b = a;
  let c = a;
  let position = 0;
  let left = bytes.length;
  while (left > 12) {
    a = (a + word(bytes, position)) | 0;
    b = (b + word(bytes, position + 4)) | 0;
    c = (c + word(bytes, position + 8)) | 0;
    a = (a - c) ^ rotate(c, 4);
    c = (c + b) | 0;
    b = (b - a) ^ rotate(a, 6);
    a = (a + c) | 0;
    c = (c - b) ^ rotate(b, 8);
    b = (b + a) | 0;
    a = (a - c) ^ rotate(c, 16);
    c = (c + b) | 0;
    b = (b - a) ^ rotate(a, 19);
    a = (a + c) | 0;
    c = (c - b) ^ rotate(b, 4);
    b = (b + a) | 0;
    left -= 12;
    position += 12;
  }
  if (left === 0) return c >>> 0;
  const tail = new Uint8Array(12);
  tail.set(bytes.subarray(position));
  a = (a + word(tail, 0)) | 0;
  b = (b + word(tail, 4)) | 0;
  c = (c + word(tail, 8)) | 0;
  c = (c ^ b) - rotate(b, 14);
  a = (a ^ c) - rotate(c, 11);
  b = (b ^ a) - rotate(a, 25);
  c = (c ^ b) - rotate(b, 16);
  a = (a ^ c) - rotate(c, 4);
  b = (b ^ a) - rotate(a, 14);
  c = (c ^ b) - rotate(b, 24);
  return c >>> 0;
}

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

function rotate(x: number, by: number): number {
  return (x << by) | (x >>> (32 - by));
}
