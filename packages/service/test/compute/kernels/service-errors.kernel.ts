import { defineKernel } from '@contrails/engine/compute';
import { NotFoundError, ValidationError } from '@contrails/runtime/errors';

/** Throws an error of the service. */
export default defineKernel<'validation' | 'not-found', never>((kind) => () => {
  if (kind === 'not-found') {
    throw new NotFoundError('no weather', { retryAfterSeconds: 60, facts: { asked: 1, how: () => 1 } });
  }
  throw new ValidationError([{ loc: ['body', 'time', 3], msg: 'time must increase', type: 'order' }], 2);
});
