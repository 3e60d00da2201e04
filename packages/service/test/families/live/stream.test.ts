import type { FlightFeature } from '@contrails/engine/live/flight-features';
import { MINUTE_MS } from '@contrails/runtime';
import { expect, test } from 'vitest';
import type { PublishedSky } from '../../../src/families/live/published.ts';
import { StreamHub, type StreamRequest, TOPICS } from '../../../src/families/live/stream.ts';

const NOW_MS = Date.parse('2026-01-15T12:00Z');
const EVERYTHING: StreamRequest = { box: undefined, topics: new Set(TOPICS), lastEventId: undefined };
const EUROPE = { minLon: -10, maxLon: 30, minLat: 35, maxLat: 60, crossesAntimeridian: false };

function flight(id: string, longitude: number): FlightFeature {
  return {
    type: 'Feature',
    id,
    geometry: { type: 'Point', coordinates: [longitude, 50] },
    properties: { id, icao_address: id } as FlightFeature['properties'],
  };
}

function skyWith(cycle: number, flights: readonly FlightFeature[]): PublishedSky {
  return { cycle, timeMs: NOW_MS, flights, contrails: [], summary: null, run: null };
}

/** All that waits for a client. */
function taken(stream: { read(): Buffer | null }): string {
  let text = '';
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += chunk.toString();
  return text;
}

function connect(hub: StreamHub, request: Partial<StreamRequest> = {}, nowMs = NOW_MS) {
  const stream = hub.connect({ ...EVERYTHING, ...request }, nowMs);
  if (stream === undefined) throw new Error('refused');
  return stream;
}

test('a flight that leaves the box is removed, and one that enters it is added', () => {
  const hub = new StreamHub(10);
  hub.show(skyWith(1, [flight('a', 10), flight('b', 100)]), NOW_MS);
  const stream = connect(hub, { box: EUROPE });
  const first = taken(stream);
  expect(first).toContain('event: snapshot');
  expect(first).toContain('"id":"a"');
  expect(first).not.toContain('"id":"b"');
  hub.move([flight('a', 100), flight('b', 10)], NOW_MS + 1000);
  const next = taken(stream);
  expect(next).toMatch(/event: update\n.*\ndata: .*"id":"b"/);
  expect(next).toMatch(/event: remove\ndata: \{"flights":\["a"\]/);
  hub.close();
});

test('a client resumes with what changed, also what is gone, for five minutes', () => {
  const hub = new StreamHub(10);
  hub.show(skyWith(1, [flight('a', 10), flight('b', 11), flight('c', 12)]), NOW_MS);
  const lateMs = NOW_MS + MINUTE_MS;
  hub.show(skyWith(2, [flight('a', 10), flight('b', 12)]), lateMs);
  const resumed = taken(connect(hub, { lastEventId: `1-${NOW_MS + 30_000}` }, lateMs));
  expect(resumed).not.toContain('event: snapshot');
  expect(resumed).toContain('"id":"b"');
  expect(resumed).not.toContain('"id":"a"');
  expect(resumed).toContain('"flights":["c"]');
  for (const lastEventId of [`1-${NOW_MS - 1}`, `1-${NOW_MS - 10 * MINUTE_MS}`, 'nonsense'])
    expect(taken(connect(hub, { lastEventId }, lateMs))).toContain('event: snapshot');
  hub.close();
});

test('a client that never reads holds bounded memory, and gets the newest state when it does', () => {
  const hub = new StreamHub(10);
  const many = (longitude: number) => Array.from({ length: 1500 }, (_, k) => flight(`f${k}`, longitude));
  hub.show(skyWith(1, many(0)), NOW_MS);
  const stream = connect(hub);
  let waiting = 0;
  for (let second = 1; second <= 100; second++) {
    hub.move(many(second), NOW_MS + 1000 * second);
    waiting = Math.max(waiting, stream.readableLength);
  }
  expect(waiting).toBeLessThan(5 * 2 ** 20);
  expect(hub.dropped).toBeGreaterThan(50);
  const text = taken(stream);
  expect(text.slice(text.lastIndexOf('event: snapshot'))).toContain('"coordinates":[100,50]');
  hub.close();
});

test('an update of many features goes out in pieces, the last with an id, and what changes meanwhile only once', () => {
  const hub = new StreamHub(10);
  const many = (longitude: number) => Array.from({ length: 3000 }, (_, k) => flight(`f${k}`, longitude));
  hub.show(skyWith(1, many(0)), NOW_MS);
  const stream = connect(hub);
  expect(taken(stream).match(/event: snapshot/g)).toHaveLength(1);
  for (const second of [1, 2, 3]) hub.move(many(second), NOW_MS + 1000 * second);
  hub.show(skyWith(2, many(3).slice(10)), NOW_MS + 4000);
  const text = taken(stream);
  expect(text).not.toContain('event: snapshot');
  expect(text.match(/\[2,50\]/g)?.length ?? 0).toBeLessThan(1000);
  expect(
    new Set(text.match(/"id":"f\d+","geometry":\{"type":"Point","coordinates":\[3,50\]/g)).size,
  ).toBeGreaterThanOrEqual(2990);
  expect(text).toMatch(/"flights":\["f0",/);
  const ids = text.match(/^id: .*$/gm) ?? [];
  expect(text.lastIndexOf('event: update')).toBeLessThan(text.lastIndexOf('id: '));
  expect(ids.at(-1)).toBe(`id: 2-${NOW_MS + 4000}`);
  hub.close();
});

test('of 1,000 clients those beyond the limit are refused, and the others are served', () => {
  const hub = new StreamHub(200);
  hub.show(skyWith(1, [flight('a', 10)]), NOW_MS);
  const streams = Array.from({ length: 1000 }, () => hub.connect(EVERYTHING, NOW_MS));
  expect(streams.filter((stream) => stream !== undefined)).toHaveLength(200);
  hub.move([flight('a', 11)], NOW_MS + 1000);
  for (const stream of streams) if (stream !== undefined) expect(taken(stream)).toContain('[11,50]');
  hub.close();
});

test('topics that are not asked for are not sent', () => {
  const hub = new StreamHub(10);
  hub.show(skyWith(1, [flight('a', 10)]), NOW_MS);
  expect(taken(connect(hub, { topics: new Set(['contrails']) }))).not.toContain('"id":"a"');
  hub.close();
});
