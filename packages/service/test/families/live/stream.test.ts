import type { FlightFeature } from '@contrails/engine/live/flight-features';
import { MINUTE_MS } from '@contrails/runtime';
import { beforeEach, expect, test } from 'vitest';
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

let nowMs: number;
beforeEach(() => {
  nowMs = NOW_MS;
});
const hubOf = (maxClients: number) => new StreamHub(maxClients, () => nowMs);

/** All that waits for a client. */
function taken(stream: { read(): Buffer | null }): string {
  let text = '';
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += chunk.toString();
  return text;
}

function connect(hub: StreamHub, request: Partial<StreamRequest> = {}) {
  const stream = hub.connect({ ...EVERYTHING, ...request });
  if (stream === undefined) throw new Error('refused');
  return stream;
}

test('a flight that leaves the box is removed, and one that enters it is added', async () => {
  const hub = hubOf(10);
  await hub.show(skyWith(1, [flight('a', 10), flight('b', 100)]));
  const stream = connect(hub, { box: EUROPE });
  const first = taken(stream);
  expect(first).toContain('event: snapshot');
  expect(first).toContain('"id":"a"');
  expect(first).not.toContain('"id":"b"');
  nowMs += 1000;
  await hub.move([flight('a', 100), flight('b', 10)]);
  const next = taken(stream);
  expect(next).toMatch(/event: update\n.*\ndata: .*"id":"b"/);
  expect(next).toMatch(/event: remove\ndata: \{"flights":\["a"\]/);
  hub.close();
});

test('a client resumes with what changed, also what is gone, for five minutes', async () => {
  const hub = hubOf(10);
  await hub.show(skyWith(1, [flight('a', 10), flight('b', 11), flight('c', 12)]));
  nowMs += MINUTE_MS;
  await hub.show(skyWith(2, [flight('a', 10), flight('b', 12)]));
  const resumed = taken(connect(hub, { lastEventId: `1-${NOW_MS + 30_000}` }));
  expect(resumed).not.toContain('event: snapshot');
  expect(resumed).toContain('"id":"b"');
  expect(resumed).not.toContain('"id":"a"');
  expect(resumed).toContain('"flights":["c"]');
  for (const lastEventId of [`1-${NOW_MS - 1}`, `1-${NOW_MS - 10 * MINUTE_MS}`, 'nonsense'])
    expect(taken(connect(hub, { lastEventId }))).toContain('event: snapshot');
  hub.close();
});

test('a client that never reads holds bounded memory, and gets the newest state when it does', async () => {
  const hub = hubOf(10);
  const many = (longitude: number) => Array.from({ length: 1500 }, (_, k) => flight(`f${k}`, longitude));
  await hub.show(skyWith(1, many(0)));
  const stream = connect(hub);
  let waiting = 0;
  for (let second = 1; second <= 100; second++) {
    nowMs += 1000;
    await hub.move(many(second));
    waiting = Math.max(waiting, stream.readableLength);
  }
  expect(waiting).toBeLessThan(5 * 2 ** 20);
  expect(hub.dropped).toBeGreaterThan(50);
  const text = taken(stream);
  expect(text.slice(text.lastIndexOf('event: snapshot'))).toContain('"coordinates":[100,50]');
  hub.close();
});

test('an update of many features goes out in pieces, the last with an id, and what changes meanwhile only once', async () => {
  const hub = hubOf(10);
  const many = (longitude: number) => Array.from({ length: 3000 }, (_, k) => flight(`f${k}`, longitude));
  await hub.show(skyWith(1, many(0)));
  const stream = connect(hub);
  expect(taken(stream).match(/event: snapshot/g)).toHaveLength(1);
  for (const second of [1, 2, 3]) {
    nowMs += 1000;
    await hub.move(many(second));
  }
  nowMs += 1000;
  await hub.show(skyWith(2, many(3).slice(10)));
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

test('of 1,000 clients those beyond the limit are refused, and the others are served', async () => {
  const hub = hubOf(200);
  await hub.show(skyWith(1, [flight('a', 10)]));
  const streams = Array.from({ length: 1000 }, () => hub.connect(EVERYTHING));
  expect(streams.filter((stream) => stream !== undefined)).toHaveLength(200);
  await hub.move([flight('a', 11)]);
  for (const stream of streams) if (stream !== undefined) expect(taken(stream)).toContain('[11,50]');
  hub.close();
});

test('topics that are not asked for are not sent', async () => {
  const hub = hubOf(10);
  await hub.show(skyWith(1, [flight('a', 10)]));
  expect(taken(connect(hub, { topics: new Set(['contrails']) }))).not.toContain('"id":"a"');
  hub.close();
});

/** Contrails of a flight east of it. */
function contrail(id: string, longitude: number): PublishedSky['contrails'][number] {
  const coordinates = [0, 1, 2].map((k) => [longitude + k, 50, 10_000]);
  return { type: 'Feature', id, geometry: { type: 'LineString', coordinates } } as never;
}

test('other work has its turn while a crowded sky is shown, and what moves meanwhile is newer than the sky', async () => {
  const hub = hubOf(10);
  const many = (longitude: number) => Array.from({ length: 2000 }, (_, k) => flight(`f${k}`, longitude));
  const sky = (cycle: number, longitude: number) => ({
    ...skyWith(cycle, many(longitude)),
    contrails: Array.from({ length: 3000 }, (_, k) => contrail(`c${k}`, longitude)),
  });
  await hub.show(sky(1, 10));
  const streams = Array.from({ length: 10 }, () => connect(hub, { box: EUROPE }));
  for (const stream of streams) taken(stream);
  let [turns, isShown] = [0, false];
  nowMs += MINUTE_MS;
  const showing = hub.show(sky(2, 11)).then(() => {
    isShown = true;
  });
  const shown = streams.map(() => '');
  const takeAll = () =>
    streams.forEach((stream, k) => {
      shown[k] += taken(stream);
    });
  for (; !isShown; turns++) {
    nowMs++;
    if (turns === 0) await hub.move([flight('f1999', 12)]);
    await new Promise((resolve) => setImmediate(resolve));
    takeAll();
  }
  await showing;
  takeAll();
  expect(turns).toBeGreaterThan(10);
  for (const text of shown) {
    const places = [...text.matchAll(/"id":"f1999","geometry":\{"type":"Point","coordinates":\[(\d+)/g)];
    expect(places.at(-1)?.[1]).toBe('12');
    expect(new Set(text.match(/"id":"c\d+"/g)).size).toBe(3000);
  }
  hub.close();
});

test('two skies that come at once are shown one after the other, and the later one stays', async () => {
  const hub = hubOf(10);
  const many = (longitude: number) => Array.from({ length: 2000 }, (_, k) => flight(`f${k}`, longitude));
  await hub.show(skyWith(1, many(10)));
  const stream = connect(hub);
  taken(stream);
  const both = [hub.show(skyWith(2, [...many(11), flight('gone', 11)])), hub.show(skyWith(3, many(12)))];
  await Promise.all(both);
  const newest = taken(connect(hub));
  expect(newest.match(/"coordinates":\[12,50\]/g)).toHaveLength(2000);
  expect(newest).not.toContain('gone');
  const followed = taken(stream);
  for (const id of ['f0', 'f1999']) {
    const places = [...followed.matchAll(new RegExp(`"id":"${id}","geometry":.*?\\[(\\d+),`, 'g'))];
    expect(places.at(-1)?.[1]).toBe('12');
  }
  expect(followed.match(/^id: (\d+)-/gm)?.at(-1)).toBe('id: 3-');
  hub.close();
});

test('a hub that is closed while it shows a sky tells nobody of it', async () => {
  const hub = hubOf(10);
  const many = (longitude: number) => Array.from({ length: 2000 }, (_, k) => flight(`f${k}`, longitude));
  await hub.show(skyWith(1, many(10)));
  const stream = connect(hub);
  taken(stream);
  nowMs += MINUTE_MS;
  const showing = hub.show(skyWith(2, many(11)));
  hub.close();
  await showing;
  expect(taken(stream)).toBe('');
});
