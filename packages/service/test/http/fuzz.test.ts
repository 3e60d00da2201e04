import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { bbox } from '@contrails/engine/grid/bbox';
import { flightLevels } from '@contrails/engine/grid/flight-level';
import type { App } from '@contrails/platform/http/app';
import { boolean } from '@contrails/runtime/options/boolean';
import { choice } from '@contrails/runtime/options/choice';
import { list } from '@contrails/runtime/options/list';
import { number } from '@contrails/runtime/options/number';
import { byDefault, optional } from '@contrails/runtime/options/parameter';
import { path, query } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { time } from '@contrails/runtime/options/time';
import fc from 'fast-check';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { trialFamilies } from '../support/families.ts';
import { startServer } from '../support/server.ts';

/** Routes with every kind of parameter and body. */
function family(app: App): void {
  const querystring = query({
    time: time(),
    flight_level: optional(flightLevels()),
    bbox: optional(bbox()),
    interiors: byDefault(boolean(), true),
    threshold: byDefault(number({ minimum: 0 }), 1),
    format: byDefault(choice(['netcdf', 'geojson']), 'netcdf'),
    flight: optional(list(text({ maxLength: 40 }))),
  });
  const body = Type.Object({
    longitude: Type.Array(Type.Number()),
    time: Type.Array(Type.Union([Type.String(), Type.Number()])),
    engine_efficiency: Type.Optional(Type.Union([Type.Number(), Type.Array(Type.Number())])),
    nested: Type.Optional(Type.Object({ deep: Type.Array(Type.Object({ x: Type.Integer() })) })),
  });
  const params = path({ model: text({ maxLength: 20 }) });
  app.get('/v0/grid/:model', { config: { scope: 'public' }, schema: { querystring, params } }, (request) => ({
    ...request.query,
  }));
  app.post(
    '/v0/run/:model',
    { config: { scope: 'research' }, schema: { body, querystring, params } },
    () => ({}),
  );
}

const server = await startServer({ families: [...(await trialFamilies()), family] });
const RUNS = times(600);

const weird = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '../../etc/passwd',
    '%00',
    '%ff',
    'null',
    'NaN',
    '-1',
    '1e999',
    '2024-02-30',
    '270,',
    ',,,',
    'true',
    '__proto__',
    "'; DROP TABLE keys; --",
    '{jndi:ldap://x}',
    '\r\nX-Injected: 1',
  ),
  fc.integer().map(String),
  fc.double().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const name = fc.oneof(
  fc.constantFrom(
    'time',
    'flight_level',
    'bbox',
    'interiors',
    'threshold',
    'format',
    'flight',
    '__proto__',
    'constructor',
  ),
  weird,
);
const address = fc
  .tuple(
    fc.constantFrom(
      '/v0/grid/',
      '/v0/run/',
      '/v0/auth/validate-key',
      '/problems/',
      '/openapi/',
      '/',
      '/healthz',
      '//',
      '/v1/',
    ),
    weird,
    fc.array(fc.tuple(name, weird), { maxLength: 6 }),
    fc.boolean(),
  )
  .map(([start, rest, parameters, isEncoded]) => {
    const write = (part: string) =>
      isEncoded ? encodeURIComponent(part.toWellFormed()) : part.replace(/[^\x21-\x7e]/g, '');
    return `${start}${write(rest)}?${parameters.map(([key, value]) => `${write(key)}=${write(value)}`).join('&')}`;
  });
const payload = fc.oneof(
  fc.json({ maxDepth: 5 }),
  fc
    .record({
      longitude: fc.jsonValue(),
      time: fc.jsonValue(),
      engine_efficiency: fc.jsonValue(),
      nested: fc.jsonValue(),
    })
    .map((value) => JSON.stringify(value)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((json) => gzipSync(json)),
);
const header = fc.constantFrom(
  {},
  { 'content-type': 'application/json' },
  { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' },
  { 'content-type': 'text/plain' },
  { 'content-type': ';;;' },
  { range: 'bytes=0-', 'if-none-match': '"' },
  { accept: '*/*', 'accept-encoding': 'gzip;q=1.0.0, *;q=' },
  { 'if-modified-since': 'never', 'if-range': '""' },
  { origin: 'null', 'access-control-request-method': '' },
  { 'x-api-key': 'ctr_' },
  { prefer: 'respond-async', te: 'trailers', 'accept-version': '1.0.0' },
);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'SEARCH');

test(`${RUNS} random requests never cause a fault of ours`, { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      method,
      address,
      header,
      payload,
      fc.boolean(),
      async (verb, url, headers, body, hasKey) => {
        const answer = await server.send({
          method: verb as 'GET',
          url,
          headers: { ...headers, ...(hasKey ? { 'x-api-key': server.key } : {}) },
          ...(verb === 'GET' || verb === 'HEAD' ? {} : { payload: body }),
        });
        expect(answer.status).toBeLessThan(500);
        expect(answer.headers['x-injected']).toBeUndefined();
        if (answer.status >= 400 && verb !== 'HEAD') expect(answer.problem().status).toBe(answer.status);
      },
    ),
    { numRuns: RUNS },
  );
});

test(`${RUNS} random lines over a connection never cause a fault of ours, nor stop the server`, {
  timeout: 120_000,
}, async () => {
  const { port } = new URL(await server.address());
  const line = fc.oneof(
    weird,
    fc.constantFrom(
      'Host: x',
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip, chunked',
      'Connection: keep-alive',
      'Expect: 100-continue',
      'Upgrade: h2c',
      'Content-Type: application/json',
      ': x',
      'X:',
    ),
  );
  const request = fc
    .tuple(
      fc.oneof(method, weird),
      fc.oneof(address, weird),
      fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', ''),
      fc.array(line, { maxLength: 6 }),
      weird,
    )
    .map(([verb, url, version, lines, body]) =>
      [`${verb} ${url} ${version}`, ...lines, '', body].join('\r\n'),
    );
  await fc.assert(
    fc.asyncProperty(request, async (text) => {
      expect(await exchange(Number(port), text)).not.toMatch(/HTTP\/1\.1 5\d\d/);
    }),
    { numRuns: RUNS },
  );
  expect((await server.send('/healthz')).status).toBe(200);
  expect(server.log.filter((entry) => entry.includes('"level":50'))).toEqual([]);
});

/** Sends a text, ends, and returns what came back. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false }, () => socket.end(text));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => resolve(received)).on('close', () => resolve(received));
  });
}
