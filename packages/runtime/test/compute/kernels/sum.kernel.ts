import { defineKernel } from '../../../src/compute/index.ts';

interface SumInput {
  readonly values: Float64Array<SharedArrayBuffer>;
  readonly blockSize: number;
  /** One sum per block. */
  readonly sums: Float64Array<SharedArrayBuffer>;
}

/** Sums each block of the values into shared memory and returns the block's index. */
export default defineKernel<SumInput, number>(({ values, blockSize, sums }) => (index) => {
  let sum = 0;
  const end = Math.min(values.length, (index + 1) * blockSize);
  for (let i = index * blockSize; i < end; i++) sum += Math.sin(values[i] ?? 0);
  sums[index] = sum;
  return index;
});
