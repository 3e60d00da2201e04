import { defineKernel } from '../../../src/compute/index.ts';
import { NotFoundError, ValidationError } from '../../../src/errors.ts';

export type Fault =
  | 'throw'
  | 'throw-text'
  | 'reject'
  | 'uncaught'
  | 'exit'
  | 'heap'
  | 'validation'
  | 'not-found'
  | 'uncloneable'
  | 'none';

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
      throw new Error('nobody catches this');
    });
    return new Promise(() => {});
  },
  exit: () => process.exit(7),
  heap: () => {
    const hoard: string[][] = [];
    for (;;) hoard.push(Array.from({ length: 10_000 }, (_, i) => `${i} of ${hoard.length}`));
  },
  validation: () => {
    throw new ValidationError([{ loc: ['body', 'time', 3], msg: 'time must increase', type: 'order' }], 2);
  },
  'not-found': () => {
    throw new NotFoundError('no weather', { retryAfterSeconds: 60, facts: { asked: 1, how: () => 1 } });
  },
  uncloneable: () => ({ f: () => 1 }),
};

/** Fails in the given way in the given block. */
export default defineKernel<{ fault: Fault; inBlock: number }, unknown>(({ fault, inBlock }) => (index) => {
  return index === inBlock ? FAULTS[fault]() : index;
});
