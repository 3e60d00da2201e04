/**
 * Memory that vector kernels and plain loops see alike. What is taken from it is given back all at once, when the work
 * that took it ends; memory that has once been used stays with the thread.
 */

import { InputError } from '../../errors.ts';
import type { SharedMemoryLimits } from './binary.ts';
import { WebAssembly } from './web-assembly.ts';

const PAGE_BYTES = 65_536;

/** Shared only because such memory grows without taking the views of it away; it is never sent to another thread. */
export const MEMORY_LIMITS: SharedMemoryLimits = { initial: 16, maximum: 32_768 };
export const memory = /* @__PURE__ */ new WebAssembly.Memory({ ...MEMORY_LIMITS, shared: true });

/** Bytes at the start that hold constants, tables and parameters of kernels. */
export const RESERVED_BYTES = 65_536;

let top = RESERVED_BYTES;

/** Numbers, whatever they were before, at an address that is a multiple of 16; they are given back when the {@link scoped} work around ends. */
export function takeNumbers(length: number): Float64Array {
  const start = top;
  const end = start + Math.ceil(length / 2) * 16;
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) grow(missing, end);
  top = end;
  return new Float64Array(memory.buffer, start, length);
}

/** Rejects what no kernel can address; the error for a system without memory names the remedy. */
function grow(missingBytes: number, neededBytes: number): void {
  const maximumBytes = MEMORY_LIMITS.maximum * PAGE_BYTES;
  const mebibytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);
  if (neededBytes <= maximumBytes) {
    try {
      memory.grow(Math.ceil(missingBytes / PAGE_BYTES));
      return;
    } catch {
      // The system gives no more; reported below.
    }
  }
  throw new InputError(
    `the computation needs ${mebibytes(neededBytes)} MiB of kernel memory at once, of at most ${mebibytes(maximumBytes)} MiB; ` +
      'compute fewer points at a time',
    { neededBytes, maximumBytes },
  );
}

/** Runs work and gives back all the memory it took. */
export function scoped<T>(work: () => T): T {
  const before = top;
  try {
    return work();
  } finally {
    top = before;
  }
}
