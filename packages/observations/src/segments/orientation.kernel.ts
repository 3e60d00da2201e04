import { defineKernel } from '@contrails/runtime/compute';
import { type OrientationImages, orientBlockRow } from './orientation.ts';

export default defineKernel<OrientationImages>((images) => (blockRow, { throwIfCancelled }) => {
  throwIfCancelled();
  orientBlockRow(images, blockRow);
});
