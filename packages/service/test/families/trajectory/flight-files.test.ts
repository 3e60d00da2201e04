import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { WARNINGS_HEADER } from '@contrails/platform/http/warnings';
import { expect, test } from 'vitest';
import { startTrial } from './support.ts';

const trial = await startTrial();
const CASES = new URL('../../../../flights/test/reference/flight-files/', import.meta.url);

function bytesOf(id: string, name?: string): Buffer {
  const file = name ?? readdirSync(new URL(id, CASES)).find((one) => one !== 'case.json');
  return readFileSync(new URL(`${id}/${file}`, CASES));
}

/** Flown in the past: synthetic weather ends in a few days. */
function inPast(id: string): Buffer {
  const text = bytesOf(id).toString('latin1').replaceAll('2027-02', '2026-02').replaceAll('202702', '202602');
  return Buffer.from(text, 'latin1');
}

async function send(path: string, type: string, payload: Buffer, headers: Record<string, string> = {}) {
  const answer = await trial.send({
    method: 'POST',
    url: path,
    headers: { 'x-api-key': trial.key, 'content-type': type, ...headers },
    payload,
  });
  const header = answer.headers[WARNINGS_HEADER];
  return {
    ...answer,
    body: answer.json<Record<string, unknown>>(),
    warnings: JSON.parse(String(header ?? '[]')),
  };
}

test.each([
  ['ofp-plain', 'application/vnd.arinc633+xml'],
  ['ofp-plain', 'application/octet-stream'],
  ['ofp-plain', 'text/xml; charset=utf-8'],
])('a plan is computed as the command computes it: %s as %s', async (id, type) => {
  const { status, body, warnings } = await send('/v0/trajectory/cocip', type, inPast(id));
  expect(status).toBe(200);
  expect((body.time as string[])[1]).toBe('2026-02-03T06:16:00Z');
  expect(body.flight_id).toBe('QX 17');
  expect(warnings).toEqual([
    'flight QX 17: 7 waypoints, aircraft_type A21N, takeoff_mass 74000 and aircraft_mass from flight (arinc633_ofp, planned)',
    'flight QX 17: the usual engine of the type is assumed',
    'flight QX 17: 1 waypoint is added where step climbs begin',
  ]);
});

test('a plan is taken as filed where the query says so', async () => {
  const { body } = await send('/v0/trajectory/issr?as_filed=true', 'text/xml', inPast('ofp-plain'));
  expect(body.issr).toHaveLength(6);
});

test('a packed file with several flights is a list', async () => {
  const { status, body } = await send('/v0/trajectory/issr', 'application/gzip', gzipSync(inPast('allft')));
  expect([status, body]).toMatchObject([200, { flight_id: expect.arrayContaining(['AA12345679']) }]);
});

test('files that belong together come as parts of a form', async () => {
  const names = ['Flights_20270201_20270228.csv.gz', 'Flight_Points_Actual_20270201_20270228.csv.gz'];
  const form = new FormData();
  for (const name of names)
    form.append('any', new File([new Uint8Array(bytesOf('eurocontrol-pair', name))], name));
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const type = request.headers.get('content-type') as string;
  const payload = Buffer.from(await request.arrayBuffer());
  const { status, body } = await send('/v0/trajectory/issr', type, payload);
  // The flights are read; there is no weather of their time.
  expect([status, JSON.stringify(body)]).toMatchObject([
    422,
    expect.stringContaining('no weather covers 2027-02-03'),
  ]);
});

test('GeoJSON is a flight, as its own type and as JSON', async () => {
  const geojson = inPast('geojson');
  for (const type of ['application/geo+json', 'application/json']) {
    const { status, body } = await send('/v0/trajectory/issr', type, geojson);
    expect([type, status, body.flight_id]).toEqual([type, 200, 'g1']);
  }
});

test('what GeoJSON lacks comes from the query too', async () => {
  const text = inPast('geojson').toString().replaceAll('aircraft_type', 'no_type');
  const url = '/v0/trajectory/emissions?aircraft_type=A320';
  const { status, warnings } = await send(url, 'application/json', Buffer.from(text));
  expect([status, warnings[0]]).toEqual([200, expect.stringContaining('geojson, flown')]);
});

test('what the file lacks comes from the query', async () => {
  const csv = inPast('so6')
    .toString()
    .replaceAll(' A20N ', ' ZZZZ ')
    .replaceAll(' BCS3 ', ' ZZZZ ')
    .replaceAll(' 2702', ' 2602');
  const url = '/v0/trajectory/emissions?aircraft_type=A320';
  const { status, warnings } = await send(url, 'text/plain', Buffer.from(csv));
  expect(status).toBe(200);
  expect(warnings[0]).toContain('so6, flown');
});

test.each([
  ['/v0/trajectory/issr', 422],
  ['/v1/planning/levels', 400],
])('a file that cannot be read is refused with its code: %s', async (path, status) => {
  const answer = await send(path, 'text/csv', bytesOf('fdr-no-unit'));
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({
    type: '/problems/flight-file',
    code: 'unit_unknown',
    detail: expect.stringContaining('the column altitude has no unit'),
    refused: {},
  });
});

test('a file whose flights are all refused counts them', async () => {
  const answer = await send('/v0/trajectory/issr', 'text/xml', bytesOf('ofp-degrees'));
  expect(answer.body).toMatchObject({
    code: 'coordinates_not_arc_seconds',
    refused: { coordinates_not_arc_seconds: 1 },
  });
});

test('an unknown type is refused with the types that are read', async () => {
  const { status, text } = await send('/v0/trajectory/issr', 'image/png', Buffer.from('x'));
  expect(status).toBe(415);
  expect(text).toContain('application/vnd.arinc633+xml');
});

test('a plan of levels is made of a flight file', async () => {
  const { status, body, warnings } = await send(
    '/v1/planning/levels',
    'application/xml',
    inPast('ofp-plain'),
  );
  expect([status, JSON.stringify(body).slice(0, 300)]).toMatchObject([200, expect.any(String)]);
  expect(warnings[0]).toContain('aircraft_type A21N');
});

test('a request without a body and its type is refused', async () => {
  for (const path of ['/v0/trajectory/cocip', '/v1/planning/levels']) {
    const answer = await trial.send({ method: 'POST', url: path, headers: { 'x-api-key': trial.key } });
    expect([400, 422]).toContain(answer.status);
    expect(answer.json()).toMatchObject({ errors: [{ loc: ['body'], type: 'missing' }] });
  }
});

test('a parameter that is given twice is refused beside a file', async () => {
  const url = '/v0/trajectory/issr?aircraft_type=A320&aircraft_type=B738';
  const { status, body } = await send(url, 'text/xml', inPast('ofp-plain'));
  expect([status, body.detail]).toEqual([422, 'aircraft_type was given 2 times; give it once']);
});

test('a file name in UTF-8 names the flight', async () => {
  const header = Buffer.from('attachment; filename="Zürich.csv"').toString('latin1');
  const table =
    'time,longitude,latitude,altitude\n2026-02-03T06:00Z,1,50,30000\n2026-02-03T06:01Z,1.2,50,30000\n';
  const { body } = await send('/v0/trajectory/issr', 'text/csv', Buffer.from(table), {
    'content-disposition': header,
  });
  expect(body.flight_id).toBe('Zürich');
});

test('a file of which a part is too large is refused as a whole', async () => {
  const good =
    'time,longitude,latitude,altitude\n2026-02-03T06:00Z,1,50,30000\n2026-02-03T06:01Z,1.2,50,30000\n';
  const form = new FormData();
  form.append('a', new File([good], 'good.csv'));
  form.append('b', new File([gzipSync(`<gpx>${' '.repeat(65 * 2 ** 20)}</gpx>`)], 'large.gpx.gz'));
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const type = request.headers.get('content-type') as string;
  const { status } = await send('/v0/trajectory/issr', type, Buffer.from(await request.arrayBuffer()));
  expect(status).toBe(413);
});
