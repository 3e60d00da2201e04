/** Damaged copies of flight files, and what must hold however they are damaged. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { FormatOptions } from '../../src/files/index.ts';
import { fileOf } from '../../src/files/node-host.ts';
import { CASE_NAMES, caseBytes, pointCount, type Read, readAll, readCase } from './support.ts';

/** Files that are read together. */
interface WholeFiles {
  readonly id: string;
  readonly options: FormatOptions;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** Cases with flights, by their format. */
export function casesByFormat(): Map<string, WholeFiles[]> {
  const all = CASE_NAMES.map(readCase).filter(({ expect }) => expect.flights.length > 0);
  const cases = all.map((one) => {
    const bytes = caseBytes(one);
    const files = one.files.map((name, k) => ({ name, bytes: bytes[k] as Uint8Array }));
    return { format: one.expect.formats[0] as string, id: one.id, options: one.options, files };
  });
  return Map.groupBy([...cases, ...OWN_FORMATS], ({ format }) => format);
}

const MINUTES = Array.from({ length: 30 }, (_, minute) => ({
  time: new Date(Date.UTC(2026, 1, 3, 6, minute)).toISOString(),
  longitude: 8 + minute / 10,
  latitude: 50 - minute / 50,
  altitude: 30_000 + 100 * minute,
}));

/** Formats of this service and of receivers, which have no reference cases. */
const OWN_FORMATS = [
  {
    format: 'table',
    name: 'waypoints.csv',
    text: [
      'flight_id,time,longitude,latitude,altitude,aircraft_type',
      ...MINUTES.map((point, k) => [k < 15 ? 'A' : 'B', ...Object.values(point), 'A320'].join(',')),
    ].join('\n'),
  },
  {
    format: 'flight',
    name: 'flight.json',
    text: JSON.stringify({
      flight_id: 'A',
      aircraft_type: 'A320',
      ...Object.fromEntries(
        (['time', 'longitude', 'latitude', 'altitude'] as const).map((name) => [
          name,
          MINUTES.map((point) => point[name]),
        ]),
      ),
    }),
  },
  {
    format: 'readsb_trace_json',
    name: 'trace_full_3c6701.json',
    text: JSON.stringify({
      icao: '3c6701',
      r: 'D-AIAA',
      t: 'A320',
      timestamp: Date.UTC(2026, 1, 3, 6) / 1000,
      trace: MINUTES.map(({ latitude, longitude, altitude }, minute) => [
        60 * minute,
        latitude,
        longitude,
        altitude,
        450,
        90,
        0,
        0,
        minute % 10 === 0 ? { flight: 'DLH1AA  ' } : null,
      ]),
    }),
  },
].map(({ format, name, text }) => ({
  format,
  id: format,
  options: {},
  files: [{ name, bytes: Buffer.from(text) }],
}));

/** Reads a damaged copy of a case; the sentences say what went wrong. */
export async function faultsOf(one: WholeFiles, seed: number): Promise<string[]> {
  const random = generator(seed);
  const damaged = Math.floor(random() * one.files.length);
  const files = one.files.map(({ name, bytes }, k) =>
    fileOf(name, k === damaged ? damage(name, bytes, random) : bytes),
  );
  const start = performance.now();
  try {
    const read = await readAll(files, one.options);
    const faults = wrongIn(read);
    if (performance.now() - start > MAX_MS) faults.push('it took too long');
    return faults.map((fault) => `${one.id}, seed ${seed}: ${fault}`);
  } catch (error) {
    return [`${one.id}, seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`];
  }
}

const MAX_MS = 5000;
const MAX_SENTENCE = 500;

function wrongIn(read: Read): string[] {
  const { flights, report } = read;
  const faults: string[] = [];
  if ((report.error === null) !== flights.length > 0) faults.push('flights and an error exclude each other');
  if (pointCount(read) !== report.points)
    faults.push(`${report.points} points came in, ${pointCount(read)} are accounted for`);
  for (const message of [report.error?.message ?? '', ...report.warnings.map((one) => one.message)]) {
    if (/[\n\r]/.test(message) || message.length > MAX_SENTENCE) faults.push(`not one sentence: ${message}`);
  }
  for (const { timeMs, longitude, latitude, altitudeFt, flight_id: id } of flights) {
    const isOrdered = timeMs.every(
      (time, k) => Number.isInteger(time) && (k === 0 || time > (timeMs[k - 1] as number)),
    );
    if (timeMs.length < 2 || !isOrdered) faults.push(`${id}: times are not in order`);
    const isPlaced = longitude.every(
      (lon, k) => lon >= -180 && lon < 180 && Math.abs(latitude[k] as number) <= 90,
    );
    if (!isPlaced || longitude.length !== timeMs.length) faults.push(`${id}: positions are out of range`);
    if (!altitudeFt.every((feet) => feet >= -2000 && feet <= 60_000))
      faults.push(`${id}: altitudes are out of range`);
  }
  return faults;
}

/** Half of the compressed files are damaged before they are compressed, which a checksum does not find. */
function damage(name: string, bytes: Uint8Array, random: () => number): Uint8Array {
  if (!name.endsWith('.gz') || random() < 0.5) return mutate(bytes, random);
  return gzipSync(mutate(gunzipSync(bytes), random));
}

/** One to four changes: bytes flipped, replaced, removed, repeated, or cut off. */
function mutate(bytes: Uint8Array, random: () => number): Uint8Array {
  let result = [...bytes];
  const count = 1 + Math.floor(random() * 4);
  for (let k = 0; k < count; k++) {
    const at = Math.floor(random() * result.length);
    const length = 1 + Math.floor(random() ** 3 * 200);
    const kind = Math.floor(random() * 6);
    if (kind === 0) result[at] = (result[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    else if (kind === 1) result[at] = Math.floor(random() * 256);
    else if (kind === 2) result.splice(at, length);
    else if (kind === 3) result.splice(at, 0, ...result.slice(at, at + length));
    else if (kind === 4) result[at] = '"<>{}[],;:-\n\r 0\u0000'.charCodeAt(Math.floor(random() * 17));
    else if (random() < 0.3) result = result.slice(0, at);
  }
  return Uint8Array.from(result);
}

/** Numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}
