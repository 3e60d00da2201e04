import { parquetMetadataAsync } from 'hyparquet';
import { expect, test } from 'vitest';
import { type ContrailsClient, ContrailsError, createClient } from '../src/index.ts';
import { scriptedServer } from './scripted-server.ts';

const FLIGHT = {
  longitude: [-56.6, -56.3],
  latitude: [40.5, 40.6],
  altitude: [35_000, 35_000],
  time: ['2024-02-29T01:00:00Z', '2024-02-29T01:02:00Z'],
  aircraft_type: 'A320',
};
const KEY = { name: 'mine', scopes: [], expires: null, limits: {} };

const clientOf = (baseUrl: string, attempts = 3): ContrailsClient =>
  createClient({ baseUrl, apiKey: 'ctr_a_b', retry: { attempts, pauseMs: 1 } });

/** What a call fails with. */
async function failure(call: Promise<unknown>): Promise<ContrailsError> {
  const error = await call.then(
    () => expect.fail('the call has not failed'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ContrailsError);
  return error as ContrailsError;
}

test('sends the key in its header, lists with commas and dates in UTC', async () => {
  const { address, received } = await scriptedServer({ json: { type: 'FeatureCollection', features: [] } });
  await clientOf(address).grid.sac({
    time: new Date(0),
    flight_level: [300, 320],
    bbox: [-10, 40, 10, 50],
    format: 'geojson',
  });
  expect(received[0]?.headers['x-api-key']).toBe('ctr_a_b');
  expect(Object.fromEntries(new URL(`http://x${received[0]?.url}`).searchParams)).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    flight_level: '300,320',
    bbox: '-10,40,10,50',
    format: 'geojson',
  });
});

test('keeps the path of an address below which the service is mounted', async () => {
  const { address, received } = await scriptedServer({ json: { status: 'ok' } });
  await clientOf(`${address}/contrails`).status.health();
  expect(received[0]?.url).toBe('/contrails/healthz');
});

test('asks for the key at every request, so it can change', async () => {
  const { address, received } = await scriptedServer({ json: KEY });
  let key: string | undefined;
  const client = createClient({ baseUrl: address, apiKey: () => key });
  await client.auth.validateKey();
  key = 'ctr_c_d';
  await client.auth.validateKey();
  expect(received.map(({ headers }) => headers['x-api-key'])).toEqual([undefined, 'ctr_c_d']);
});

test.each([429, 502, 503, 504])('sends a GET again after %d', async (status) => {
  const { address, received } = await scriptedServer(status, { json: KEY });
  expect(await clientOf(address).auth.validateKey()).toEqual(KEY);
  expect(received).toHaveLength(2);
});

test.each([400, 401, 403, 404, 422, 500])('does not repeat a request after %d', async (status) => {
  const { address, received } = await scriptedServer({ status, json: {} });
  expect((await failure(clientOf(address).auth.validateKey())).status).toBe(status);
  expect(received).toHaveLength(1);
});

test('sends a GET again when the connection breaks, also in the middle of the response', async () => {
  const { address, received } = await scriptedServer(
    'hang up',
    (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"na');
      setImmediate(() => response.destroy());
    },
    { json: KEY },
  );
  expect(await clientOf(address).auth.validateKey()).toEqual(KEY);
  expect(received).toHaveLength(3);
});

test('gives up after the given number of attempts and reports the last error', async () => {
  const { address, received } = await scriptedServer(503);
  const error = await failure(clientOf(address, 4).auth.validateKey());
  expect(error).toMatchObject({ code: 'unavailable', status: 503, requestId: 'r-1' });
  expect(received).toHaveLength(4);
});

test.each(['0', new Date(0).toUTCString()])(
  'pauses as Retry-After: %s asks instead of its own time',
  async (value) => {
    const { address } = await scriptedServer(
      { status: 503, headers: { 'retry-after': value }, json: {} },
      { json: KEY },
    );
    const client = createClient({ baseUrl: address, retry: { pauseMs: 3_600_000, maxPauseMs: 3_600_000 } });
    expect(await client.auth.validateKey()).toEqual(KEY);
  },
);

test('fails at once where Retry-After is longer than the longest pause', async () => {
  const { address, received } = await scriptedServer({
    status: 429,
    headers: { 'retry-after': '3600' },
    json: {},
  });
  const error = await failure(clientOf(address).auth.validateKey());
  expect(error.retryAfterSeconds).toBe(3600);
  expect(received).toHaveLength(1);
});

test('sends a job again only where the service states that it has not begun', async () => {
  const accepted = { status: 202, json: { id: 'j1', state: 'queued', location: '/v0/jobs/j1' } };
  const busy = await scriptedServer(429, 503, accepted);
  expect((await clientOf(busy.address).trajectory.submit('cocip', FLIGHT)).id).toBe('j1');
  expect(busy.received).toHaveLength(3);
  const broken = await scriptedServer('hang up', accepted);
  expect((await failure(clientOf(broken.address).trajectory.submit('cocip', FLIGHT))).code).toBe('network');
  expect(broken.received).toHaveLength(1);
});

test('sends flights again whose direct answer did not arrive, because nothing else comes of them', async () => {
  const { address, received } = await scriptedServer('hang up', { json: { sac: [1, 0] } });
  expect((await clientOf(address).trajectory.sac(FLIGHT)).sac).toEqual([1, 0]);
  expect(received.map(({ body }) => JSON.parse(body))).toEqual([FLIGHT, FLIGHT]);
});

test('an error has the problem, its fields with their remedies, and the page that explains it', async () => {
  const problem = {
    type: '/problems/validation',
    title: 'The request is not valid',
    status: 422,
    detail: 'flight_level 275 is not served; choose from 270, 280, … 440 (and 1 more)',
    instance: 'r-7',
    errors: [
      { loc: ['query', 'flight_level', 0], type: 'choice', msg: 'flight_level 275 is not served' },
      { loc: ['query', 'simplify'], type: 'range', msg: 'simplify 20 is out of range' },
    ],
  };
  const { address } = await scriptedServer({ status: 422, json: problem });
  const error = await failure(clientOf(address).grid.availability());
  expect(error).toMatchObject({
    code: 'validation',
    status: 422,
    requestId: 'r-7',
    help: `${address}/problems/validation`,
    problem,
    fields: [
      { path: 'query.flight_level[0]', message: 'flight_level 275 is not served' },
      { path: 'query.simplify', message: 'simplify 20 is out of range' },
    ],
  });
  expect(error.message).toContain('query.simplify: simplify 20 is out of range');
});

test('an answer that is not of this API is named as such', async () => {
  const page = { text: '<html><title>Welcome</title></html>', headers: { 'content-type': 'text/html' } };
  const wrong = await scriptedServer(page);
  const error = await failure(clientOf(wrong.address).auth.validateKey());
  expect(error.code).toBe('invalid-response');
  expect(error.message).toContain('check the address');
  const proxy = await scriptedServer({ ...page, status: 403 });
  expect((await failure(clientOf(proxy.address).auth.validateKey())).message).toContain('“Welcome”');
});

test.each(['', 'localhost:8080', 'not an address'])('refuses the address "%s"', (baseUrl) => {
  expect(() => createClient({ baseUrl })).toThrow(`baseUrl ${baseUrl}`);
});

test('waits for a product that is being computed as long as it may', async () => {
  const { address, received } = await scriptedServer(404, 404, {
    json: { type: 'FeatureCollection', features: [] },
  });
  const client = clientOf(address, 1);
  expect((await failure(client.forecast.regions({ time: '2026-01-01T00' }))).code).toBe('not-found');
  expect((await client.forecast.regions({ time: '2026-01-01T00' }, { waitMs: 10_000 })).features).toEqual([]);
  expect(received).toHaveLength(3);
});

test('a job reports its progress and ends with the result and its warnings', async () => {
  const job = (state: string, progress: number, more = {}) => ({
    json: { id: 'j1', state, progress, created: null, started: null, finished: null, ...more },
    headers: { 'retry-after': '0' },
  });
  const { address, received } = await scriptedServer(
    { status: 202, json: { id: 'j1', state: 'queued', location: '/v0/jobs/j1' } },
    job('queued', 0),
    job('running', 0.5),
    503,
    job('running', 0.5),
    job('done', 1, { result: { energy_forcing: [1, 0] }, warnings: ['two segments are too long'] }),
  );
  const seen: unknown[] = [];
  const warned: string[] = [];
  const result = await clientOf(address).trajectory.cocip(FLIGHT, {
    include: ['co2e'],
    onProgress: ({ state, fraction }) => seen.push([state, fraction]),
    onWarnings: (warnings) => warned.push(...warnings),
  });
  expect(result).toEqual({ energy_forcing: [1, 0], warnings: ['two segments are too long'] });
  expect(warned).toEqual(['two segments are too long']);
  expect(seen).toEqual([
    ['queued', 0],
    ['running', 0.5],
    ['done', 1],
  ]);
  expect(received[0]).toMatchObject({ url: '/v0/trajectory/cocip?include=co2e' });
  expect(received[0]?.headers.prefer).toBe('respond-async');
});

test('a job that fails throws its reason', async () => {
  const { address } = await scriptedServer(
    { status: 202, json: { id: 'j1', state: 'queued', location: '/v0/jobs/j1' } },
    { json: { id: 'j1', state: 'failed', progress: 0.2, error: 'the disk is full' } },
  );
  const error = await failure(clientOf(address).trajectory.cocip(FLIGHT, { background: true }));
  expect(error).toMatchObject({ code: 'job-failed', jobId: 'j1' });
  expect(error.message).toContain('the disk is full');
});

test('aborting cancels the job, also while it is being submitted', async () => {
  const accepted = { status: 202, json: { id: 'j1', state: 'queued', location: '/v0/jobs/j1' } };
  for (const when of ['submitting', 'waiting']) {
    const controller = new AbortController();
    const deleted = Promise.withResolvers<void>();
    const { address } = await scriptedServer((request, response) => {
      if (request.method === 'DELETE') {
        deleted.resolve();
        response.writeHead(204).end();
        return;
      }
      if ((request.method === 'POST') === (when === 'submitting')) controller.abort(new Error('enough'));
      const isPost = request.method === 'POST';
      const body = isPost ? accepted.json : { id: 'j1', state: 'running', progress: 0.1 };
      response
        .writeHead(isPost ? 202 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    });
    const call = clientOf(address).trajectory.cocip(FLIGHT, {
      background: true,
      signal: controller.signal,
    });
    await expect(call, when).rejects.toThrow('enough');
    await deleted.promise;
  }
});

test('aborting when a job reports its end ends the call with the reason of the signal', async () => {
  const { address } = await scriptedServer(
    { status: 202, json: { id: 'j1', state: 'queued', location: '/v0/jobs/j1' } },
    { json: { id: 'j1', state: 'done', progress: 1, result: { energy_forcing: [1, 0] } } },
    { status: 204 },
  );
  const controller = new AbortController();
  const call = clientOf(address).trajectory.cocip(FLIGHT, {
    onProgress: () => controller.abort(new Error('enough')),
    signal: controller.signal,
  });
  await expect(call).rejects.toThrow('enough');
});

test('aborting ends a request and a pause with the reason of the signal', async () => {
  const silent = await scriptedServer(() => {});
  const signal = AbortSignal.timeout(50);
  await expect(clientOf(silent.address).auth.validateKey({ signal })).rejects.toThrow(/time/i);
  const busy = await scriptedServer({ status: 503, headers: { 'retry-after': '50' }, json: {} });
  const call = clientOf(busy.address).auth.validateKey({ signal: AbortSignal.timeout(50) });
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('a file is a stream with its name, or an array buffer', async () => {
  const bytes = 'CDF and more';
  const { address } = await scriptedServer({
    text: bytes,
    headers: {
      'content-type': 'application/netcdf',
      'content-length': String(bytes.length),
      'content-disposition': 'attachment; filename="pcr_20240229T0100Z.nc"',
      etag: '"abc"',
      'contrails-warnings': '["3 cells are \\u201cunknown\\u201d"]',
    },
  });
  const client = clientOf(address);
  const file = await client.grid.pcr({ time: '2024-02-29T01' });
  expect(file).toMatchObject({ name: 'pcr_20240229T0100Z.nc', size: 12, etag: '"abc"' });
  expect(file.warnings).toEqual(['3 cells are “unknown”']);
  let streamed = '';
  for await (const chunk of file.stream.pipeThrough(new TextDecoderStream())) streamed += chunk;
  expect(streamed).toBe(bytes);
  const again = await client.grid.pcr({ time: '2024-02-29T01' });
  expect(new TextDecoder().decode(await again.arrayBuffer())).toBe(bytes);
});

test('ranges fetch the bytes that are asked for and notice that the file was replaced', async () => {
  const bytes = 'PAR1 and the rest PAR1';
  let etag = '"one"';
  const { address, received } = await scriptedServer((request, response) => {
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(String(request.headers.range)) ?? [];
    const version = request.headers['if-range'] ?? etag;
    const isRange = first !== undefined && version === etag;
    const part = isRange ? bytes.slice(Number(first), Number(last) + 1) : bytes;
    response
      .writeHead(isRange ? 206 : 200, {
        etag,
        'content-length': String(part.length),
        ...(isRange ? { 'content-range': `bytes ${first}-${last}/${bytes.length}` } : {}),
      })
      .end(part);
  });
  const file = await clientOf(address).inventory.summary.ranges({ date: '2025-01-01' });
  const text = async (start: number, end?: number) => new TextDecoder().decode(await file.slice(start, end));
  expect(file.byteLength).toBe(bytes.length);
  expect(await text(0, 4)).toBe('PAR1');
  expect(await text(-4)).toBe('PAR1');
  expect(await text(5, 1000)).toBe('and the rest PAR1');
  expect((await file.slice(4, 4)).byteLength).toBe(0);
  expect(received).toHaveLength(4);
  await expect(parquetMetadataAsync(file)).rejects.toThrow(/parquet/i);
  etag = '"two"';
  expect((await failure(file.slice(0, 4))).code).toBe('changed');
});

test('a service that is not ready returns its checks', async () => {
  const checks = { database: { ok: false, ms: 3, message: 'unavailable' } };
  const { address, received } = await scriptedServer({
    status: 503,
    headers: { 'retry-after': '2' },
    json: {
      type: '/problems/unavailable',
      title: '',
      status: 503,
      detail: 'not ready',
      instance: 'r',
      checks,
    },
  });
  expect(await clientOf(address).status.readiness()).toEqual({ status: 'not ready', checks });
  expect(received).toHaveLength(1);
});

test('opening ranges of a file that is not there reports why', async () => {
  const { address } = await scriptedServer(404);
  const error = await failure(clientOf(address).inventory.summary.ranges({ date: '2025-01-01' }));
  expect(error).toMatchObject({ code: 'not-found', message: 'come back' });
});

test('the stream of the sky goes on where a lost connection ended', async () => {
  const events = (id: string, type: string) => ({
    headers: { 'content-type': 'text/event-stream' },
    text: `: still here\n\nevent: ${type}\nid: ${id}\ndata: {"flights":[],"contrails":[]}\n\n`,
  });
  const { address, received } = await scriptedServer(
    events('1-100', 'snapshot'),
    503,
    events('2-200', 'update'),
  );
  const types: string[] = [];
  for await (const { type } of clientOf(address).live.stream({ topics: ['flights'] })) {
    types.push(type);
    if (types.length === 2) break;
  }
  expect(types).toEqual(['snapshot', 'update']);
  expect(received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1-100', '1-100']);
  expect(received[0]?.url).toBe('/v1/live/stream?topics=flights');
});

test('the stream of the sky ends with an error that no further attempt would change', async () => {
  const { address } = await scriptedServer(403);
  const error = await failure(clientOf(address).live.stream().next());
  expect(error.status).toBe(403);
});
