import { defineKernel } from '@contrails/engine/compute';
import { unpackChunk } from '@contrails/formats';
import { sharedFloat32 } from '@contrails/runtime';

/** A stored level of the globe as it is packed. */
export interface PackedPlane {
  readonly packed: Uint8Array<SharedArrayBuffer>;
}

/** Each block is one level, into memory that threads share. */
export default defineKernel<readonly PackedPlane[], Float32Array>((planes) => (index) => {
  const plane = planes[index];
  if (plane === undefined) throw new RangeError(`there is no plane ${index}`);
  const unpacked = unpackChunk(plane);
  const values = sharedFloat32(unpacked.length);
  values.set(unpacked);
  return values;
});
