import { createLog } from '@contrails/platform/log';
import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { reportHandler } from '../../../src/families/inventory/mrv-reports.ts';
import { startTrial } from '../trajectory/support.ts';

const trial = await startTrial();
const KEY = await trial.newKey({ scopes: ['inventory', 'inventory:segments'] });

const REQUEST = { operator: 'XZ', from: '2024-02-29', to: '2024-02-29', scope: 'all' };
const FLIGHTS = `flight_key,operator,callsign,departure_airport,arrival_airport,departure_time,arrival_time,aircraft_type
A1,XZ,XZA1,RJTT,KSFO,2024-02-29T06:00:00Z,2024-02-29T06:40:00Z,A320
A2,XZ,XZA2,RJTT,KSFO,2024-02-29T06:00:00Z,2024-02-29T06:40:00Z,B738
A3,XZ,XZA3,RJTT,KSFO,2024-02-29T06:00:00Z,2024-02-29T06:40:00Z,A320
`;
const TRACKS = ['A1', 'A2'].flatMap((key, f) =>
  Array.from(
    { length: 41 },
    (_, m) => `${key},2024-02-29T06:${String(m).padStart(2, '0')}:00Z,${40 + f},${-180 + 0.15 * m},34000`,
  ),
);
const TRAJECTORIES = ['flight_key,time,latitude,longitude,altitude_ft', ...TRACKS].join('\n');

type Parts = Readonly<Record<string, string | undefined>>;

async function post(parts: Parts, key = KEY) {
  const form = new FormData();
  for (const [name, text] of Object.entries(parts)) {
    if (text === undefined) continue;
    if (name === 'request') form.set(name, text);
    else form.set(name, new Blob([text]), `${name}.csv`);
  }
  const sent = new Response(form);
  return trial.send({
    method: 'POST',
    url: '/v1/inventory/reports',
    headers: { 'x-api-key': key, 'content-type': String(sent.headers.get('content-type')) },
    payload: Buffer.from(await sent.arrayBuffer()),
  });
}

const get = (url: string, key = KEY) => trial.send({ url, headers: { 'x-api-key': key } });

test('two reports at once are computed as jobs, and each has its files', async () => {
  const worker = trial.services.jobs.work([reportHandler(trial.services, trial.config)], {
    concurrency: 2,
    log: createLog(trial.config.log),
  });
  try {
    const parts = { request: JSON.stringify(REQUEST), flights: FLIGHTS, trajectories: TRAJECTORIES };
    const answers = await Promise.all([post(parts), post({ ...parts, trajectories: undefined })]);
    const [whole, bare] = await Promise.all(
      answers.map(async (answer) => {
        expect(answer.status, answer.text).toBe(202);
        const url = String(answer.headers.location);
        return until('the report', async () => {
          const found = (await get(url)).json<{ state: string; error?: string; files: { url: string }[] }>();
          expect(found.state, found.error).not.toBe('failed');
          return found.state === 'done' ? found : undefined;
        });
      }),
    );
    const summaryOf = async (files: readonly { url: string }[] | undefined) => {
      const { url = '' } = files?.find((file) => file.url.endsWith('summary.json')) ?? {};
      return (await get(url)).json<{ flights: unknown }>();
    };
    expect((await summaryOf(whole?.files)).flights).toMatchObject({
      supplied: 3,
      reported: 2,
      not_computed: { no_trajectory: 1 },
    });
    expect((await summaryOf(bare?.files)).flights).toMatchObject({ not_computed: { no_trajectory: 3 } });
    const zip = await get(whole?.files.find(({ url }) => url.endsWith('pack.zip'))?.url ?? '');
    expect(zip.headers['content-type']).toBe('application/zip');
    expect(zip.bytes.subarray(0, 2).toString()).toBe('PK');
    for (const { url } of whole?.files ?? []) expect((await get(url)).status, url).toBe(200);
  } finally {
    await worker.stop();
  }
});

test('a table that cannot be read fails the job with what is wrong', async () => {
  const worker = trial.services.jobs.work([reportHandler(trial.services, trial.config)], {
    concurrency: 1,
    log: createLog(trial.config.log),
  });
  try {
    const answer = await post({ request: JSON.stringify(REQUEST), flights: 'a,b\n1,2\n' });
    const failed = await until('the failure', async () => {
      const found = (await get(String(answer.headers.location))).json<{ state: string; error?: string }>();
      return found.state === 'failed' ? found : undefined;
    });
    expect(failed.error).toMatch(/flights\.csv has no column flight_key/);
    expect(failed.error).not.toContain('/tmp');
  } finally {
    await worker.stop();
  }
});

test('a request without a body is refused', async () => {
  const answer = await trial.send({
    method: 'POST',
    url: '/v1/inventory/reports',
    headers: { 'x-api-key': KEY },
  });
  expect(answer.status, answer.text).toBe(400);
  expect(answer.text).toContain('the body is missing; send multipart/form-data');
});

test('JSON is never taken for a form', async () => {
  const { status, text } = await trial.send({
    method: 'POST',
    url: '/v1/inventory/reports',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    payload: JSON.stringify({ scope: REQUEST, flights: { bytes: FLIGHTS, ending: '/../../elsewhere.csv' } }),
  });
  expect([status, text]).toEqual([415, expect.stringContaining('send multipart/form-data')]);
});

test('a part that is sent twice is refused', async () => {
  const form = new FormData();
  form.append('request', JSON.stringify(REQUEST));
  for (const name of ['a.csv', 'b.csv']) form.append('flights', new Blob([FLIGHTS]), name);
  const sent = new Response(form);
  const { status, text } = await trial.send({
    method: 'POST',
    url: '/v1/inventory/reports',
    headers: { 'x-api-key': KEY, 'content-type': String(sent.headers.get('content-type')) },
    payload: Buffer.from(await sent.arrayBuffer()),
  });
  expect([status, text]).toEqual([400, expect.stringContaining('flights was given 2 times; give it once')]);
});

test.each<[string, Parts, RegExp]>([
  ['no request', { flights: FLIGHTS }, /request is not a JSON object/],
  ['a request that is not JSON', { request: '{' }, /request is not a JSON object/],
  [
    'a day that does not exist',
    { request: JSON.stringify({ ...REQUEST, from: '2024-02-30' }) },
    /send a day/,
  ],
  [
    'days in the wrong order',
    { request: JSON.stringify({ ...REQUEST, to: '2024-01-01' }) },
    /from 2024-02-29 on/,
  ],
  [
    'an unknown rule',
    { request: JSON.stringify({ ...REQUEST, scope: 'some' }) },
    /choose from reduced, full, all/,
  ],
  ['an unknown field', { request: JSON.stringify({ ...REQUEST, colour: 1 }) }, /colour is not known/],
  ['an unknown part', { request: JSON.stringify(REQUEST), tracks: 'x' }, /tracks is not a part/],
  [
    'waypoints without flights',
    { request: JSON.stringify(REQUEST), trajectories: 'x' },
    /flights is missing/,
  ],
])('%s is refused', async (_, parts, message) => {
  const answer = await post(parts);
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(message);
});

test('a report needs the scope of segments', async () => {
  expect((await post({ request: JSON.stringify(REQUEST) }, trial.key)).status).toBe(403);
});

test('a report that does not exist is not found', async () => {
  for (const url of ['/v1/inventory/reports/none', '/v1/inventory/reports/none/report.html'])
    expect((await get(url)).status).toBe(404);
});
