import { expect, test } from 'vitest';
import { ErrorWithFacts, UnavailableError } from '../../src/index.ts';
import { carryError, reviveError } from '../../src/threads/index.ts';

class OwnError extends ErrorWithFacts {}

const across = (error: unknown) => reviveError(structuredClone(carryError(error)), [OwnError]);

test('an error keeps its message, stack and causes between threads', () => {
  const error = new TypeError('outer', { cause: new Error('inner') });
  const revived = across(error);
  expect(revived).toMatchObject({ name: 'TypeError', message: 'outer', stack: error.stack });
  expect(revived.cause).toMatchObject({ name: 'Error', message: 'inner' });
});

test('an error of this package or of the caller keeps its class and fields', () => {
  const unavailable = across(new UnavailableError('later', { retryAfterSeconds: 9, facts: { tasks: 3 } }));
  expect(unavailable).toBeInstanceOf(UnavailableError);
  expect(unavailable).toMatchObject({ retryAfterSeconds: 9, facts: { tasks: 3 } });
  expect(across(new OwnError('own', { facts: { file: 'a.nc' } }))).toBeInstanceOf(OwnError);
});

test('a field that cannot be copied does not hide the error', () => {
  expect(across(new OwnError('own', { facts: { call: () => 1 } }))).toMatchObject({ message: 'own' });
});

test('a value that is not an error becomes one', () => {
  expect(across('plain text')).toMatchObject({ name: 'Error', message: 'plain text' });
});
