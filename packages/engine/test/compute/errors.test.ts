import { NotFoundError, ValidationError } from '@contrails/runtime/errors';
import { expect, onTestFinished, test } from 'vitest';
import { kernelAt, openCompute } from '../../src/compute.ts';

const throwing = kernelAt<typeof import('./kernels/service-errors.kernel.ts').default>(
  new URL('./kernels/service-errors.kernel.ts', import.meta.url),
);

test('errors of the service keep their class and fields between threads', async () => {
  const compute = openCompute({ threads: 1, maxQueue: 2 });
  onTestFinished(() => compute.close());
  const thrown = (kind: 'validation' | 'not-found') =>
    compute.run(throwing, kind).catch((error: unknown) => error);
  const validation = await thrown('validation');
  expect(validation).toBeInstanceOf(ValidationError);
  expect(validation).toMatchObject({ more: 2, errors: [{ loc: ['body', 'time', 3] }] });
  const notFound = await thrown('not-found');
  expect(notFound).toBeInstanceOf(NotFoundError);
  expect(notFound).toMatchObject({ retryAfterSeconds: 60, message: 'no weather' });
});
