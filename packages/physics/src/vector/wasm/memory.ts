/**
 * Memory that vector kernels and plain loops see alike. What is taken from it is given back all at once, when the work
 * that took it ends; memory that has once been used stays with the thread.
 */

import { InputError } from '../../errors.ts';
import type { NumberTable } from '../expression.ts';
import type { SharedMemoryLimits } from './binary.ts';
import { type KernelMemory, WebAssembly } from './web-assembly.ts';

const PAGE_BYTES = 65_536;

/** Limits that modules declare; the memory of a small device has a lower maximum. */
export const MEMORY_LIMITS: SharedMemoryLimits = { initial: 16, maximum: 32_768 };
/** A device that reserves less than this has no room for a useful table of plumes. */
const MIN_MAXIMUM = 1024;

/** Bytes at the start that hold constants, tables and parameters of kernels. */
const RESERVED_BYTES = 65_536;

let memory: KernelMemory | undefined;
let maximum = MEMORY_LIMITS.maximum;
let top = RESERVED_BYTES;
let reserved = 0;
/** What is to be in the memory when it is made; until then it is here, so what needs no kernels needs no such memory. */
const reservedNumbers: { readonly address: number; readonly values: Float64Array }[] = [];

/** The memory of this thread. It is made when it is first used, because a system may reserve all that it can grow to. */
export function kernelMemory(): KernelMemory {
  if (memory !== undefined) return memory;
  memory = makeMemory();
  for (const { address, values } of reservedNumbers)
    new Float64Array(memory.buffer, address, values.length).set(values);
  return memory;
}

/** Bytes of the memory of this thread, 0 before it is used. */
export function kernelBytes(): number {
  return memory?.buffer.byteLength ?? 0;
}

/** Shared only because such memory grows without taking the views of it away; it is never sent to another thread. */
function makeMemory(): KernelMemory {
  for (; ; maximum /= 2) {
    try {
      return new WebAssembly.Memory({ initial: MEMORY_LIMITS.initial, maximum, shared: true });
    } catch (error) {
      if (maximum <= MIN_MAXIMUM) throw error;
    }
  }
}

/** Permanent memory whose address kernels know. */
export function reserveNumbers(initial: readonly number[]): NumberTable & { readonly address: number } {
  const values = Float64Array.from(initial);
  const address = reserved;
  reserved += 16 * Math.ceil(values.length / 2);
  if (reserved > RESERVED_BYTES) throw new RangeError('the constants of the kernels need more room');
  reservedNumbers.push({ address, values });
  if (memory !== undefined) new Float64Array(memory.buffer, address, values.length).set(values);
  return {
    address,
    get numbers() {
      return memory === undefined ? values : new Float64Array(memory.buffer, address, values.length);
    },
  };
}

/** Uninitialised numbers at an address that is a multiple of 16, freed when the enclosing {@link scoped} work ends. */
export function takeNumbers(length: number): Float64Array {
  const start = top;
  const end = start + Math.ceil(length / 2) * 16;
  const { buffer } = kernelMemory();
  const missing = end - buffer.byteLength;
  if (missing > 0) grow(missing, end);
  top = end;
  return new Float64Array(kernelMemory().buffer, start, length);
}

/** Rejects what no kernel can address; the error for a system without memory names the remedy. */
function grow(missingBytes: number, neededBytes: number): void {
  const maximumBytes = maximum * PAGE_BYTES;
  const mebibytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);
  if (neededBytes <= maximumBytes) {
    try {
      kernelMemory().grow(Math.ceil(missingBytes / PAGE_BYTES));
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
