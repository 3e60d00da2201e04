import { MetError, type MetErrorKind } from '@contrails/met';
import { expect, test } from 'vitest';
import { ContrailsError, NotFoundError, UnavailableError, ValidationError } from '../../src/errors.ts';
import { asCommandFault, asRequestFault } from '../../src/weather/faults.ts';

const fault = (kind: MetErrorKind) => asRequestFault(new MetError(kind, 'the sentence'), ['body', 'time']);

test.each(['outside', 'too-large', 'missing-variable', 'missing-time'] as const)(
  'a request for weather that is %s is a client error',
  (kind) => {
    expect(fault(kind)).toBeInstanceOf(ValidationError);
    expect(fault(kind)).toMatchObject({ faults: [{ loc: ['body', 'time'], msg: 'the sentence' }] });
  },
);

test('an unknown source is an error of the parameter that names it', () => {
  expect(fault('unknown-source')).toMatchObject({ faults: [{ loc: ['query', 'met_source'] }] });
});

test.each(['unreadable', 'unavailable'] as const)('weather that is %s may come back', (kind) => {
  expect(fault(kind)).toBeInstanceOf(UnavailableError);
});

test('other errors stay what they are', () => {
  const error = new TypeError('x');
  expect(asRequestFault(error, [])).toBe(error);
  expect(asCommandFault(error)).toBe(error);
});

test('commands report what happened', () => {
  expect(asCommandFault(new MetError('unknown-source', 'no'))).toBeInstanceOf(NotFoundError);
  expect(asCommandFault(new MetError('unreadable', 'no'))).toBeInstanceOf(ContrailsError);
});
