import { defineKernel } from '../../../src/compute/index.ts';

export type Fault = 'throw' | 'throw-text' | 'reject' | 'uncaught' | 'exit' | 'heap' | 'uncloneable' | 'none';

const FAULTS: Record<Fault, () => unknown> = {
  none: () => 'fine',
  throw: () => {
    throw new RangeError('level 3 is outside', { cause: new Error('the file ends early') });
  },
  'throw-text': () => {
    throw 'just text';
  },
  reject: () => Promise.reject(new Error('rejected')),
  uncaught: () => {
    setTimeout(() => {
      throw new Error('this is not caught');
    });
    return new Promise(() => {});
  },
  exit: () => process.exit(7),
  heap: () => {
    const hoard: string[][] = [];
    for (;;) hoard.push(Array.from({ length: 10_000 }, (_, i) => `${i} of ${hoard.length}`));
  },
  uncloneable: () => ({ f: () => 1 }),
};

/** Fails in the given way in the given block. */
export default defineKernel<{ fault: Fault; inBlock: number }, unknown>(({ fault, inBlock }) => (index) => {
  return index === inBlock ? FAULTS[fault]() : index;
});
