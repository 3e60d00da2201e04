import { ConflictError, UnavailableError } from '@contrails/runtime/errors';
import { expect, test } from 'vitest';
import { retryUntilAvailable } from '../src/retry.ts';

const { signal } = new AbortController();

test('a step is repeated while the store is away', async () => {
  const pauses: string[] = [];
  let tries = 0;
  const step = async () => {
    tries += 1;
    if (tries < 3) throw new UnavailableError(`away ${tries}`);
    return 'written';
  };
  expect(await retryUntilAvailable(step, signal, ({ message }) => pauses.push(message), 1)).toBe('written');
  expect(pauses).toEqual(['away 1', 'away 2']);
});

test('other errors are passed on at once', async () => {
  const step = () => Promise.reject(new ConflictError('no'));
  await expect(retryUntilAvailable(step, signal, () => {}, 1)).rejects.toThrow(ConflictError);
});

test('waiting ends with the signal', async () => {
  const controller = new AbortController();
  const step = () => Promise.reject(new UnavailableError('away'));
  const waiting = retryUntilAvailable(step, controller.signal, () => controller.abort(), 60_000);
  await expect(waiting).rejects.toThrow();
});
