import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type FileFlight, flightJson, withPseudoWaypoints } from '../../src/files/index.ts';
import { fileOf } from '../../src/files/node-host.ts';
import {
  CASE_NAMES,
  caseBytes,
  caseFiles,
  type FileCase,
  pointCount,
  type Read,
  readAll,
  readCase,
} from './support.ts';

const TOLERANCES: Readonly<Record<string, (value: number) => number>> = {
  longitude: () => 1e-9,
  latitude: () => 1e-9,
  altitude: () => 1e-6,
  aircraft_mass: (value) => 1e-9 * Math.abs(value),
  fuel_on_board: (value) => 1e-9 * Math.abs(value),
  fuel_flow: (value) => 1e-9 * Math.abs(value),
  true_airspeed: (value) => 1e-9 * Math.abs(value),
  takeoff_mass: (value) => 1e-9 * Math.abs(value),
};

function expectFlights(
  actual: readonly Record<string, unknown>[],
  wanted: FileCase['expect']['flights'],
): void {
  expect(actual).toHaveLength(wanted.length);
  wanted.forEach((flight, k) => {
    const found = actual[k] as Record<string, unknown>;
    for (const name of new Set([...Object.keys(found), ...Object.keys(flight)])) {
      const [is, should] = [found[name] ?? null, flight[name] ?? null];
      const tolerance = TOLERANCES[name];
      if (tolerance === undefined || should === null)
        expect([name, normal(name, is)]).toEqual([name, normal(name, should)]);
      else {
        const [values, references] = [[is].flat() as number[], [should].flat() as number[]];
        expect([name, values.length]).toEqual([name, references.length]);
        references.forEach((value, i) => {
          expect(Math.abs((values[i] as number) - value), `${name} ${i}`).toBeLessThanOrEqual(
            tolerance(value),
          );
        });
      }
    }
  });
}

/** Times are equal to the millisecond, however they are written. */
function normal(name: string, value: unknown): unknown {
  return name === 'time' && Array.isArray(value) ? value.map((time) => Date.parse(time as string)) : value;
}

function expectCase(
  { flights, report }: Read,
  { expect: wanted, message_mentions: mentions }: FileCase,
): void {
  expect(report.error?.code ?? null).toBe(wanted.error?.code ?? null);
  expect(report.formats).toEqual(wanted.formats);
  expect(report.refused).toEqual(wanted.refused);
  expect(report.warnings.map(({ code }) => code)).toEqual(wanted.warnings);
  if (mentions !== undefined) expect(report.error?.message).toContain(mentions);
  expectFlights(flights.map(flightJson), wanted.flights);
}

describe('flight files', () => {
  test.each(CASE_NAMES)('are read as expected: %s', async (id) => {
    const one = readCase(id);
    const read = await readAll(caseFiles(one), one.options);
    expectCase(read, one);
    expect(pointCount(read)).toBe(read.report.points);
  });

  test.each(CASE_NAMES.filter((id) => id !== 'empty'))('are the same compressed: %s', async (id) => {
    const one = readCase(id);
    const bytes = caseBytes(one);
    const packed = bytes.map((content, k) => fileOf(`${one.files[k]}.gz`, gzipSync(content)));
    const zstd = bytes.map((content, k) => fileOf(`${one.files[k]}.zst`, zstdCompressSync(content)));
    if (one.files.some((name) => name.endsWith('.gz'))) return;
    expectCase(await readAll(packed, one.options), one);
    expectCase(await readAll(zstd, one.options), one);
  });
});

test('a plan gets the points where its step climbs begin', async () => {
  const one = readCase('ofp-plain');
  const { flights } = await readAll(caseFiles(one));
  const { flight, added } = withPseudoWaypoints(flights[0] as FileFlight);
  const names = ['time', 'longitude', 'latitude', 'altitude'];
  const json = Object.entries(flightJson(flight)).filter(([name]) => names.includes(name));
  expectFlights([Object.fromEntries(json)], [one.pseudo_waypoints ?? {}]);
  expect(added).toBe(1);
  expect(flight.waypoint?.[3]).toBeNull();
  expect(flight.measured.aircraft_mass).toHaveLength(7);
});
