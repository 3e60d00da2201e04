import { INSTANT } from '@contrails/runtime/options/time';
import { expect, test } from 'vitest';
import { tryItDocument } from '../../src/http/try-it.ts';

const instant = { ...INSTANT };
const example = { time: ['2024-02-29T01:10:00Z', '2024-02-29T01:12:00Z'], altitude: [35_000, 35_000] };
const DOCUMENT = {
  info: { description: 'Contrails.' },
  paths: {
    '/v1/regions': {
      get: {
        parameters: [
          { name: 'time', required: true, schema: instant, examples: { a: { value: '2024-02-29T06' } } },
          { name: 'run', required: false, schema: instant, examples: { a: { value: '2024-02-29T06' } } },
          { name: 'format', required: false, schema: { type: 'string', default: 'netcdf' } },
          { name: 'level', required: false, schema: { type: 'integer' }, example: 350 },
        ],
      },
    },
    '/v0/trajectory/sac': {
      post: {
        requestBody: { content: { 'application/json': { examples: { flight: { value: example } } } } },
      },
    },
  },
};
const now = Date.UTC(2026, 10, 15, 18, 59, 59);

test('a required time is the current hour', () => {
  const [time] = parameters();
  expect(time).toEqual({
    name: 'time',
    required: true,
    schema: { type: 'string' },
    example: '2026-11-15T18',
  });
});

test('what is optional is left empty, with its default in words', () => {
  const [, run, format, level] = parameters();
  expect(run).not.toHaveProperty('examples');
  expect(format).toMatchObject({ schema: { type: 'string' }, description: 'Default: netcdf.' });
  expect(format?.schema).not.toHaveProperty('default');
  expect(level).not.toHaveProperty('example');
});

test('an example flight begins in the current hour and keeps its steps', () => {
  const { post } = tryItDocument(structuredClone(DOCUMENT), now).paths['/v0/trajectory/sac'] ?? {};
  expect(post).toMatchObject({
    requestBody: {
      content: {
        'application/json': {
          examples: {
            flight: { value: { time: ['2026-11-15T18:10:00.000Z', '2026-11-15T18:12:00.000Z'] } },
          },
        },
      },
    },
  });
});

test('the description itself is not changed', () => {
  const before = structuredClone(DOCUMENT);
  tryItDocument(DOCUMENT, now);
  expect(DOCUMENT).toEqual(before);
});

function parameters() {
  const { get } = tryItDocument(DOCUMENT, now).paths['/v1/regions'] ?? {};
  return get?.parameters as { name: string; schema: object }[];
}
