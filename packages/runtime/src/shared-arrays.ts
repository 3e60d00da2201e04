/**
 * Arrays in shared memory, filled with zeros: threads receive them by reference. Lengths count elements.
 *
 * V8 does not count shared memory as a reason to collect garbage. What a thread has allocated is counted here instead, and
 * the compute pool has all threads collect after every so many bytes.
 */

let allocatedBytes = 0;

/** Shared memory that this thread has allocated since it started [bytes]. */
export function allocatedSharedBytes(): number {
  return allocatedBytes;
}

function allocate(bytes: number): SharedArrayBuffer {
  allocatedBytes += bytes;
  return new SharedArrayBuffer(bytes);
}

export function sharedFloat64(length: number): Float64Array<SharedArrayBuffer> {
  return new Float64Array(allocate(length * Float64Array.BYTES_PER_ELEMENT));
}

export function sharedFloat32(length: number): Float32Array<SharedArrayBuffer> {
  return new Float32Array(allocate(length * Float32Array.BYTES_PER_ELEMENT));
}

export function sharedInt32(length: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(allocate(length * Int32Array.BYTES_PER_ELEMENT));
}

export function sharedUint32(length: number): Uint32Array<SharedArrayBuffer> {
  return new Uint32Array(allocate(length * Uint32Array.BYTES_PER_ELEMENT));
}

export function sharedUint8(length: number): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(allocate(length));
}
