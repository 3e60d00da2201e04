import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findArchive, streamArchive } from '../src/daily-archive.ts';
import { findLegs, localTraces } from '../src/replay.ts';

const DAY = Date.UTC(2026, 1, 25);
const NOW = DAY + 7 * 86_400_000;
const TAG = 'v2026.02.25-planes-readsb-prod-0';

interface Airframe {
  readonly icao: string;
  readonly registration: string;
  /** Callsign and hour of departure of each leg, eastward from Frankfurt. */
  readonly legs: readonly (readonly [callsign: string, hour: number])[];
}

const AIRFRAMES: readonly Airframe[] = [
  { icao: '3c6701', registration: 'D-AIAA', legs: [['DLH1AA', 6]] },
  {
    icao: '3c6702',
    registration: 'D-AIAB',
    legs: [
      ['DLH2AB', 5],
      ['DLH3AB', 12],
    ],
  },
  { icao: '3c6703', registration: 'D-AIAC', legs: [['DLH2AC', 8]] },
];

function traceOf({ icao, registration, legs }: Airframe): Buffer {
  const trace = legs.flatMap(([callsign, hour]) => {
    const start = hour * 3600;
    const points = Array.from({ length: 361 }, (_, k) => {
      const share = k / 360;
      const altitude = Math.round(36_000 * Math.min(1, 6 * share, 6 * (1 - share)));
      const details = k % 50 === 0 ? { type: 'adsb_icao', flight: `${callsign}  ` } : null;
      const isGround = k === 0 || k === 360;
      return [
        start + 20 * k,
        50.03,
        8.57 + 18 * share,
        isGround ? 'ground' : altitude,
        450,
        90,
        0,
        0,
        details,
      ];
    });
    return points;
  });
  const document = { icao, r: registration, t: 'A320', timestamp: DAY / 1000, trace };
  // Gzip in spite of the name, as the archives have it.
  return gzipSync(JSON.stringify(document));
}

async function archiveOf(airframes: readonly Airframe[]): Promise<Buffer> {
  const archive = pack();
  for (const one of airframes) {
    archive.entry({ name: `./traces/${one.icao.slice(-2)}/trace_full_${one.icao}.json` }, traceOf(one));
  }
  archive.entry({ name: './heatmap/00.bin.ttf' }, 'not a trace');
  archive.finalize();
  return Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Uint8Array>));
}

let folder: string;
let bytes: Buffer;
let server: Server;
let sent = 0;
let root: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'contrails-replay-'));
  bytes = await archiveOf(AIRFRAMES);
  const parts = [bytes.subarray(0, 4000), bytes.subarray(4000)];
  let cuts = 1;
  server = createServer((request, response) => {
    const part = parts[['aa', 'ab'].indexOf((request.url ?? '').slice(-2))];
    if (part === undefined || !request.url?.includes('globe_history_2026'))
      return response.writeHead(404).end();
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': part.length - start });
    if (request.method === 'HEAD') return response.end();
    sent++;
    if (cuts-- > 0) {
      response.write(part.subarray(0, 1500));
      return setTimeout(() => response.destroy(), 50);
    }
    return response.end(part.subarray(start));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const inMemory = (content: Buffer) => ({
  archive: (async function* () {
    yield content;
  })(),
});

const callsignsOf = async (name: string, dayMs = DAY) =>
  (await findLegs(inMemory(bytes), { name, dayMs }, NOW)).legs.map(
    ({ healed }) => healed?.attributes.callsign,
  );

test('a callsign has its legs, a registration and an address all legs of the airframe', async () => {
  expect(await callsignsOf('dlh3ab')).toEqual(['DLH3AB']);
  expect(await callsignsOf('D-AIAB')).toEqual(['DLH2AB', 'DLH3AB']);
  expect(await callsignsOf('3C6702')).toEqual(['DLH2AB', 'DLH3AB']);
});

test('legs of other days are left out', async () => {
  expect(await callsignsOf('D-AIAB', DAY - 86_400_000)).toEqual([]);
});

test('a callsign that is not there has its nearest', async () => {
  const { legs, nearest } = await findLegs(inMemory(bytes), { name: 'DLH2AD', dayMs: DAY }, NOW);
  expect([legs, nearest]).toEqual([[], ['DLH2AB', 'DLH2AC', 'DLH1AA']]);
});

test('a stream ends after the folder of a known address', async () => {
  const others = Array.from({ length: 60 }, (_, k) => ({
    icao: `3c67${(k + 16).toString(16)}`,
    registration: `D-X${k}`,
    legs: [['DLH9X', 9]] as const,
  }));
  const long = await archiveOf([...AIRFRAMES, ...others]);
  let taken = 0;
  const counted = async function* () {
    for (let at = 0; at < long.length; at += 512) {
      taken = at;
      yield long.subarray(at, at + 512);
    }
  };
  const { legs } = await findLegs({ archive: counted() }, { name: '3C6701', dayMs: DAY }, NOW);
  expect(legs).toHaveLength(1);
  expect(taken).toBeLessThan(long.length / 2);
});

test('an archive that breaks off is searched as far as it goes', async () => {
  const cut = bytes.subarray(0, bytes.length - 6000);
  const { legs, truncated } = await findLegs(inMemory(cut), { name: 'DLH1AA', dayMs: DAY }, NOW);
  expect([legs.length, truncated]).toEqual([1, expect.stringContaining('of 256 folders')]);
});

test('a day of a mirror is streamed in its parts, also over a connection that breaks', async () => {
  const options = { root };
  const archive = await findArchive(DAY, options);
  expect(archive?.files).toHaveLength(2);
  const streamed = await Array.fromAsync(streamArchive(archive as NonNullable<typeof archive>, options));
  expect(Buffer.concat(streamed).equals(bytes)).toBe(true);
  expect(sent).toBe(3);
});

test('archives and traces of a folder are found by the day', async () => {
  const traces = join(folder, 'traces', '01');
  mkdirSync(traces, { recursive: true });
  writeFileSync(join(traces, 'trace_full_3c6701.json'), traceOf(AIRFRAMES[0] as Airframe));
  const single = await localTraces(folder, DAY);
  expect(single).toEqual({ traces: [join(traces, 'trace_full_3c6701.json')] });
  writeFileSync(join(folder, `${TAG}.tar.aa`), bytes.subarray(0, 5000));
  writeFileSync(join(folder, `${TAG}.tar.ab`), bytes.subarray(5000));
  for (const path of [folder, join(folder, `${TAG}.tar.ab`)]) {
    const found = await localTraces(path, DAY);
    if (found === undefined) throw new Error(`${path} has no traces`);
    expect((await findLegs(found, { name: 'DLH2AC', dayMs: DAY }, NOW)).legs).toHaveLength(1);
  }
  expect(await localTraces(join(folder, 'none'), DAY)).toBeUndefined();
});
