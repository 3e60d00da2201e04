import { UnusableWeather } from '@contrails/engine/errors';
import { asCommandError, asRequestError } from '@contrails/engine/weather/errors';
import { MetError, type MetErrorKind } from '@contrails/met';
import { problemOf } from '@contrails/platform/http/problem-of';
import { ContrailsError, NotFoundError, UnavailableError, ValidationError } from '@contrails/runtime/errors';
import { expect, test } from 'vitest';
import { weatherProblems } from '../../src/endpoints/problems.ts';

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

test.each(['changed', 'unavailable'] as const)('weather that is %s may come back', (kind) => {
  expect(error(kind)).toBeInstanceOf(UnavailableError);
});

test('weather that cannot be read is not a matter of trying again, and clients learn the file but not its folder', () => {
  const message =
    'era5: z of /srv/met/2024/z.nc and t of /srv/met/t.nc lie on different grids (/a/b/c.nc): 0 to 90° (5 km/h)';
  const found = asRequestError(new MetError('unreadable', message), []);
  expect(found).toBeInstanceOf(UnusableWeather);
  expect((found as Error).message).toBe(
    'era5: z of z.nc and t of t.nc lie on different grids (c.nc): 0 to 90° (5 km/h)',
  );
  expect(problemOf(found, '/v0/grid/issr', weatherProblems)).toMatchObject({
    problem: { name: 'weather-unusable' },
    message: (found as Error).message,
    options: {},
  });
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
