import { createHash } from 'node:crypto';

/** Product `n`: its bytes follow from its number, so no part of another one can pass for it. */
export function productBytes(n: number): Buffer {
  const size = 1_000 + (n % 7) * 9_000;
  return Buffer.alloc(size, createHash('sha256').update(`product ${n}`).digest());
}

export function productKey(from: 'request' | 'job', n: number): string {
  return `trial/${from}/${n}.bin`;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
