import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { preferredType } from '../../src/http/accept.ts';
import type { App } from '../../src/http/app.ts';
import { memoryFile, sendFile } from '../../src/http/files.ts';
import { fileResponses } from '../../src/http/openapi-responses.ts';
import { startServer } from './harness.ts';

const JSON_TYPE = 'application/json';
const PARQUET = 'application/vnd.apache.parquet';
const NETCDF = 'application/netcdf';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('the preferred type', () => {
  test.each([
    [undefined, JSON_TYPE],
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    [BROWSER, JSON_TYPE],
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', JSON_TYPE],
    ['application/octet-stream', JSON_TYPE],
    ['application/*', JSON_TYPE],
    [PARQUET, PARQUET],
    ['application/x-parquet', PARQUET],
    ['Application/X-NetCDF', NETCDF],
    [`${JSON_TYPE};q=0.5, ${PARQUET};q=0.8`, PARQUET],
    [`${JSON_TYPE};q=0, */*`, PARQUET],
    [`${JSON_TYPE};charset=utf-8`, JSON_TYPE],
    ['application/geo+json', JSON_TYPE],
    ['text/csv, application/netcdf;q=0.1', NETCDF],
    ['text/csv', undefined],
    ['text/*', undefined],
    ['*/*;q=0', undefined],
    ['nonsense', undefined],
  ])('of Accept: %s is %s', (accept, expected) => {
    expect(preferredType(accept, [JSON_TYPE, PARQUET, NETCDF])).toBe(expected);
  });
});

describe('a request whose Accept cannot be met', () => {
  let worked = 0;
  const family = (app: App) => {
    const config = { scope: 'public' } as const;
    const file = { schema: Type.String({ format: 'binary' }) };
    const tags = ['grid'];
    const response = fileResponses('A grid.', { [NETCDF]: file, [JSON_TYPE]: file });
    app.get('/v0/file', { config, schema: { tags, response } }, (request, reply) => {
      worked += 1;
      return sendFile(request, reply, memoryFile(Buffer.from('x'), 0), { contentType: NETCDF });
    });
    app.post(
      '/v0/json',
      { config, schema: { tags, body: Type.Object({}), response: { 200: Type.Object({}) } } },
      () => {
        worked += 1;
        return {};
      },
    );
  };
  const start = () => startServer({ families: [family] });

  test('gets 406 with the types that can be served, before any work', async () => {
    const server = await start();
    const answer = await server.send({ url: '/v0/file', headers: { accept: 'text/csv' } });
    expect(answer.status).toBe(406);
    expect(answer.problem()).toMatchObject({ type: '/problems/not-acceptable', types: [NETCDF, JSON_TYPE] });
    expect(answer.problem().detail).toContain(`send ${NETCDF} or ${JSON_TYPE}`);
    const post = { method: 'POST', url: '/v0/json', payload: {}, headers: { accept: PARQUET } } as const;
    expect((await server.send(post)).status).toBe(406);
    expect(worked).toBe(0);
  });

  test('gets 406 where parameters select another type', async () => {
    const server = await start();
    const answer = await server.send({ url: '/v0/file', headers: { accept: JSON_TYPE } });
    expect([answer.status, answer.problem().types]).toEqual([406, [NETCDF]]);
  });

  test.each([BROWSER, '*/*', NETCDF, 'application/octet-stream'])('is served with %s', async (accept) => {
    const server = await start();
    const answer = await server.send({ url: '/v0/file', headers: { accept } });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, NETCDF]);
  });

  test('is served where monitoring depends on it', async () => {
    const server = await start();
    expect((await server.send({ url: '/healthz', headers: { accept: 'text/plain' } })).status).toBe(200);
  });
});
