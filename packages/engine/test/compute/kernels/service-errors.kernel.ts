import { NotFoundError, ValidationError } from '@contrails/runtime/errors';
import { defineKernel } from '../../../src/compute.ts';

/** Throws an error of the service. */
export default defineKernel<'validation' | 'not-found', never>((kind) => () => {
  if (kind === 'not-found') {
    throw new NotFoundError('no weather', { retryAfterSeconds: 60, facts: { asked: 1, how: () => 1 } });
  }
  throw new ValidationError([{ loc: ['body', 'time', 3], msg: 'time must increase', type: 'order' }], 2);
});
