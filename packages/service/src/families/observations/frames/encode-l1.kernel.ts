import { defineKernel } from '@contrails/engine/compute';
import { type ConfidenceImage, encodeL1, type L1Origin } from '@contrails/observations/l1';

export interface EncodeInput {
  readonly image: ConfidenceImage;
  readonly origin: L1Origin;
}

/** Writes an L1 file outside the thread that serves requests. */
export default defineKernel<EncodeInput, Uint8Array[]>(({ image, origin }) => async (_, { transfer }) => {
  const chunks = await encodeL1(image, origin);
  return chunks.map((chunk) => {
    const own = new Uint8Array(chunk);
    transfer(own.buffer);
    return own;
  });
});
