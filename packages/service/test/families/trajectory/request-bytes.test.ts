import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { openCompute } from '@contrails/engine/compute';
import { UnreadableRequest } from '@contrails/engine/errors';
import type { RequestFleet } from '@contrails/engine/flights/fleet';
import { needsOf } from '@contrails/engine/flights/needs';
import { DEFAULT_TRAJECTORY_OPTIONS } from '@contrails/engine/flights/options';
import { prepareRequest, type TrajectoryRequest } from '@contrails/engine/flights/prepare-request';
import { readFleet } from '@contrails/engine/flights/read-fleet';
import { requestFromBytes, requestToBytes } from '@contrails/engine/flights/request-bytes';
import type { UncertaintyOptions } from '@contrails/engine/flights/uncertainty';
import type { FlightColumnName } from '@contrails/physics/flight';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { fleetBody, flightBody } from './support.ts';

const OPTIONS = {
  ...DEFAULT_TRAJECTORY_OPTIONS,
  includes: ['met', 'contrail'] as const,
  scaling: { name: 'exponential_boost' as const, options: { rhiAdj: 0.97, rhiBoostExponent: 1.7 } },
  metSource: 'demo',
  maxAgeHours: 1 / 3,
};

/** Two flights whose waypoints alternate, with columns that have all kinds of numbers in them. */
function interleaved(): object {
  const two = fleetBody([flightBody({ waypoints: 5 }), flightBody({ waypoints: 5, latitude: -12.3456789 })]);
  const order = [0, 5, 1, 6, 2, 7, 3, 8, 4, 9];
  const pick = <T>(list: readonly T[]) => order.map((i) => list[i]);
  return {
    ...two,
    longitude: pick(two.longitude),
    latitude: pick(two.latitude),
    altitude: pick(two.altitude),
    time: pick(two.time),
    flight_id: pick(two.flight_id.map((f) => `fl\u0153te ${f}`)),
    eastward_wind: [-0, 1 / 3, null, 5e-324, 2.5, -7, null, 0.1, 1e-7, 250],
    northward_wind: -0,
    takeoff_mass: 61_000.5,
  };
}

const compute = openCompute({ threads: 1, maxQueue: 8 });
afterAll(() => compute.close());

function requestOf(
  body: object,
  options: TrajectoryRequest['options'] = OPTIONS,
): Promise<TrajectoryRequest> {
  return prepareRequest('cocip', readFleet(body, needsOf('cocip', [])) as RequestFleet, options, compute);
}

const bitsOf = (column: ArrayLike<number> | undefined) =>
  column === undefined ? undefined : Buffer.from(Float64Array.from(column).buffer).toString('hex');

function expectSameBits(copy: RequestFleet, fleet: RequestFleet): void {
  expect(bitsOf(copy.offsets)).toEqual(bitsOf(fleet.offsets));
  expect(Object.keys(copy.columns)).toEqual(Object.keys(fleet.columns));
  for (const name of Object.keys(fleet.columns) as FlightColumnName[])
    expect([name, bitsOf(copy.columns[name])]).toEqual([name, bitsOf(fleet.columns[name])]);
}

test.each([{ metMembers: 'all' }, { metMembers: [2, 0] }] as const)(
  'samples that see members of an ensemble come back: $metMembers',
  async ({ metMembers }) => {
    const uncertainty: UncertaintyOptions = {
      samples: 4,
      seed: 7,
      set: 'default',
      groups: ['humidity'],
      sampling: 'random',
      sensitivity: false,
      metMembers,
    };
    const request = await requestOf(interleaved(), { ...OPTIONS, uncertainty });
    expect(requestFromBytes(requestToBytes(request)).options).toEqual(request.options);
  },
);

describe('a queued request', async () => {
  test.each([
    ['a single flight', { ...flightBody(), aircraft_type: 'A320', flight_id: 'one' }, OPTIONS],
    ['a flight without an id', { ...flightBody(), aircraft_type: 'A320' }, DEFAULT_TRAJECTORY_OPTIONS],
    ['flights that alternate', interleaved(), OPTIONS],
    ['flights that were resampled', interleaved(), { ...OPTIONS, resampleS: 30 }],
    [
      'a flight that looks odd',
      { ...flightBody({ cruiseFt: 11_000 }), aircraft_type: 'A320' },
      DEFAULT_TRAJECTORY_OPTIONS,
    ],
  ])('is the same to the bit: %s', async (_, body, options) => {
    const request = await requestOf(body, options);
    const copy = requestFromBytes(requestToBytes(request));
    expect(copy).toEqual(request);
    expectSameBits(copy.fleet, request.fleet);
    expect(copy.fleet.columns.timeMs.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  const bytes = requestToBytes(await requestOf(interleaved()));
  const reading = (changed: Buffer) => () => requestFromBytes(changed);

  test('of another version is refused with both versions', () => {
    const later = Buffer.from(bytes);
    later.writeUInt32LE(2, 8);
    expect(reading(later)).toThrow(UnreadableRequest);
    expect(reading(later)).toThrow(
      'the flights of this job are stored in format 2, and this release reads format 1; send the request again',
    );
  });

  test('of the releases before there were versions is refused', () => {
    expect(reading(serialize({ timeMs: new Float64Array(2) }))).toThrow(
      /^the flights of this job are stored in an unknown format.*send the request again$/,
    );
  });

  test('that is damaged anywhere is refused', () => {
    const place = fc.record({ at: fc.nat(bytes.length - 1), by: fc.integer({ min: 1, max: 255 }) });
    fc.assert(
      fc.property(place, ({ at, by }) => {
        const changed = Buffer.from(bytes);
        changed[at] = ((changed[at] ?? 0) + by) % 256;
        expect(reading(changed)).toThrow(UnreadableRequest);
      }),
    );
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (length) => {
        expect(reading(bytes.subarray(0, length))).toThrow(UnreadableRequest);
      }),
    );
  });

  test.each<[string, string, string, RegExp]>([
    ['an unknown model', '"model":"cocip"', '"model":"other"', /wrong at \/model/],
    [
      'an option out of range',
      '"dtIntegrationMinutes":10',
      '"dtIntegrationMinutes":99',
      /dtIntegrationMinutes/,
    ],
    ['an option nobody knows', '"metSource":"demo"', '"metSourse":"demo"', /wrong at \/options/],
    [
      'more waypoints than there are',
      '"waypoints":10',
      '"waypoints":11',
      /columns are cut off|bytes and not/,
    ],
    ['fewer waypoints than there are', '"waypoints":10', '"waypoints":08', /header is not JSON/],
  ])('with a good checksum and %s is refused', (_, from, to, message) => {
    const changed = Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');
    expect(changed.equals(bytes)).toBe(false);
    createHash('sha256')
      .update(changed.subarray(0, -32))
      .digest()
      .copy(changed, changed.length - 32);
    expect(reading(changed)).toThrow(message);
    expect(reading(changed)).toThrow(UnreadableRequest);
  });
});
