import { MetError, type MetErrorKind } from '@contrails/met';
import { expect, test } from 'vitest';
import { ContrailsError, NotFoundError, UnavailableError, ValidationError } from '../../src/errors.ts';
import { asCommandError, asRequestError } from '../../src/weather/errors.ts';

const error = (kind: MetErrorKind) => asRequestError(new MetError(kind, 'the sentence'), ['body', 'time']);

test.each(['outside', 'too-large', 'missing-variable', 'missing-time'] as const)(
  'a request for weather that is %s is a client error',
  (kind) => {
    expect(error(kind)).toBeInstanceOf(ValidationError);
    expect(error(kind)).toMatchObject({ errors: [{ loc: ['body', 'time'], msg: 'the sentence' }] });
  },
);

test('an unknown source is an error of the parameter that names it', () => {
  expect(error('unknown-source')).toMatchObject({ errors: [{ loc: ['query', 'met_source'] }] });
});

test.each(['unreadable', 'unavailable'] as const)('weather that is %s may come back', (kind) => {
  expect(error(kind)).toBeInstanceOf(UnavailableError);
});

test('other errors stay what they are', () => {
  const error = new TypeError('x');
  expect(asRequestError(error, [])).toBe(error);
  expect(asCommandError(error)).toBe(error);
});

test('commands report what happened', () => {
  expect(asCommandError(new MetError('unknown-source', 'no'))).toBeInstanceOf(NotFoundError);
  expect(asCommandError(new MetError('unreadable', 'no'))).toBeInstanceOf(ContrailsError);
});
