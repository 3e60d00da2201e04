import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterAltitudeFt, hasDenseReports } from '../../src/aircraft/altitude-filter.ts';
import { fillAltitudeFt } from '../../src/aircraft/fill-altitude.ts';
import { addPseudoWaypoints } from '../../src/aircraft/pseudo-waypoints.ts';
import { reportGapsS } from '../../src/aircraft/report-gaps.ts';
import { type ResampleOptions, resampleAndFill } from '../../src/aircraft/resample.ts';
import { InputError } from '../../src/errors.ts';
import type { FlightWith } from '../../src/flight-columns.ts';
import { wrapLongitude } from '../../src/numerics/lerp.ts';

const MINUTE = 60_000;
const of = (...values: number[]): Float64Array => Float64Array.from(values);

/** Tracks of a few reports with gaps of seconds to hours. */
const anyTrack = fc
  .array(
    fc.record({
      gapS: fc.integer({ min: 1, max: 9000 }),
      east: fc.double({ min: -3, max: 6, noNaN: true }),
      north: fc.double({ min: -2, max: 2, noNaN: true }),
      altitudeM: fc.integer({ min: 0, max: 13000 }),
    }),
    { minLength: 2, maxLength: 12 },
  )
  .chain((legs) =>
    fc.tuple(fc.double({ min: -60, max: 60, noNaN: true }), fc.constant(legs)).map(([longitude, legs]) => {
      let [time, lon, lat] = [1_700_000_000_000, longitude, 20];
      const rows = legs.map(({ gapS, east, north, altitudeM }) => {
        [time, lon, lat] = [time + gapS * 1000, lon + east, lat + north];
        return [time, lon, lat, altitudeM] as const;
      });
      const column = (k: 0 | 1 | 2 | 3): Float64Array => Float64Array.from(rows, (row) => row[k]);
      return { timeMs: column(0), longitude: column(1), latitude: column(2), altitudeM: column(3) };
    }),
  );

function expectSame(
  actual: FlightWith<'altitudeM'>,
  expected: FlightWith<'altitudeM'>,
  digits: number,
): void {
  expect(actual.timeMs).toEqual(expected.timeMs);
  for (const name of ['longitude', 'latitude', 'altitudeM'] as const) {
    actual[name].forEach((value, i) => {
      expect(value, `${name}[${i}]`).toBeCloseTo(expected[name][i] as number, digits);
    });
  }
}

describe('resampleAndFill', () => {
  test('returns every whole minute of the flight and nothing else', () => {
    fc.assert(
      fc.property(anyTrack, (track) => {
        const { timeMs } = resampleAndFill(track);
        const first = Math.ceil((track.timeMs[0] as number) / MINUTE);
        const last = Math.floor((track.timeMs.at(-1) as number) / MINUTE);
        const expected = Array.from(
          { length: Math.max(last - first + 1, 0) },
          (_, i) => (first + i) * MINUTE,
        );
        expect([...timeMs]).toEqual(expected);
      }),
    );
  });

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyTrack, (track) => {
        const once = resampleAndFill(track);
        fc.pre(once.timeMs.length > 0);
        expectSame(resampleAndFill(once), once, 8);
      }),
    );
  });

  test('keeps the reports where they are when asked to keep them', () => {
    fc.assert(
      fc.property(anyTrack, (track) => {
        const kept = resampleAndFill(track, { keepOriginalTimes: true, freqMs: 17_000 });
        track.timeMs.forEach((time, i) => {
          const k = kept.timeMs.indexOf(time);
          expect(kept.latitude[k]).toBeCloseTo(track.latitude[i] as number, 10);
          expect(kept.longitude[k]).toBeCloseTo(track.longitude[i] as number, 10);
        });
      }),
    );
  });

  test('gives the same track wherever the meridian is counted from', () => {
    fc.assert(
      fc.property(anyTrack, fc.constantFrom(90, 150, 180, -140), (track, turn) => {
        const turned = { ...track, longitude: track.longitude.map((lon) => wrapLongitude(lon + turn)) };
        const here = resampleAndFill(track);
        const there = resampleAndFill(turned);
        here.longitude.forEach((lon, i) => {
          const difference = wrapLongitude((there.longitude[i] as number) - turn - lon);
          expect(Math.abs(difference)).toBeLessThan(1e-8);
        });
      }),
    );
  });

  test('never leaves the altitudes between ground and the cruise it assumes', () => {
    fc.assert(
      fc.property(anyTrack, (track) => {
        const most = Math.max(...track.altitudeM, 30000 * 0.3048) + 1e-6;
        expect(
          resampleAndFill(track).altitudeM.every((altitude) => altitude >= -1e-6 && altitude <= most),
        ).toBe(true);
      }),
    );
  });

  test('drops further columns unless asked to keep them', () => {
    const track = {
      timeMs: of(0, 2 * MINUTE),
      longitude: of(0, 1),
      latitude: of(0, 0),
      altitudeM: of(9000, 9000),
      thrustN: of(7, 8),
    };
    expect(resampleAndFill(track).thrustN).toBeUndefined();
    expect(resampleAndFill(track, { drop: false }).thrustN).toEqual(of(7, Number.NaN, 8));
  });

  test('takes a list of times in place of a frequency and leaves out what lies outside', () => {
    const track = { timeMs: of(0, 100), longitude: of(0, 10), latitude: of(0, 0), altitudeM: of(9000, 9000) };
    const options = { timesMs: of(50, -1, 25, 50, 101), fillMethod: 'linear' } as const;
    const { timeMs, longitude } = resampleAndFill(track, options);
    expect([timeMs, longitude]).toEqual([of(25, 50), of(2.5, 5)]);
  });

  test('fills positions that are unknown inside', () => {
    const track = {
      timeMs: of(0, MINUTE, 2 * MINUTE),
      longitude: of(0, Number.NaN, 0.2),
      latitude: of(0, Number.NaN, 0.4),
      altitudeM: of(9000, Number.NaN, 9000),
    };
    const { longitude, latitude } = resampleAndFill(track);
    expect([longitude[1], latitude[1]]).toEqual([0.1, 0.2]);
  });

  test('returns nothing for an empty flight', () => {
    const empty = new Float64Array(0);
    expect(
      resampleAndFill({ timeMs: empty, longitude: empty, latitude: empty, altitudeM: empty }).timeMs,
    ).toEqual(empty);
  });

  const good = { timeMs: of(0, 1, 2), longitude: of(0, 1, 2), latitude: of(0, 0, 0), altitudeM: of(1, 2, 3) };
  test.each<[string, Partial<FlightWith<'altitudeM'>>, ResampleOptions]>([
    ['repeated times', { timeMs: of(0, 1, 1) }, {}],
    ['an unknown last altitude', { altitudeM: of(1, 2, Number.NaN) }, {}],
    ['a frequency of 0', {}, { freqMs: 0 }],
    ['a track round the Earth', { longitude: of(170, -100, 100) }, {}],
  ])('refuses %s', (_, wrong, options) => {
    const track =
      'longitude' in wrong
        ? {
            timeMs: of(0, 1, 2, 3, 4),
            longitude: of(120, -120, 0, 120, -120),
            latitude: of(0, 0, 0, 0, 0),
            altitudeM: of(1, 1, 1, 1, 1),
          }
        : { ...good, ...wrong };
    expect(() => resampleAndFill(track, options)).toThrow(InputError);
  });
});

describe('fillAltitudeFt', () => {
  test('keeps what is known and leaves nothing unknown', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.integer({ min: 0, max: 42000 }), { nil: Number.NaN }), {
          minLength: 2,
          maxLength: 200,
        }),
        (list) => {
          const altitude = of(33000, ...list, 2000);
          const filled = altitude.slice();
          fillAltitudeFt(
            filled,
            altitude.map((_, i) => i * MINUTE),
          );
          expect(filled.some(Number.isNaN)).toBe(false);
          expect(filled.filter((_, i) => !Number.isNaN(altitude[i]))).toEqual(
            altitude.filter((feet) => !Number.isNaN(feet)),
          );
        },
      ),
    );
  });

  test('assumes the cruise altitude it is given', () => {
    const altitude = of(1000, ...new Array(90).fill(Number.NaN), 1000);
    fillAltitudeFt(
      altitude,
      altitude.map((_, i) => i * MINUTE),
      { lowFt: 18000, cruiseFt: 24000 },
    );
    expect(Math.max(...altitude)).toBe(24000);
  });
});

describe('filterAltitudeFt', () => {
  test('leaves level flight as it is', () => {
    const altitude = new Float64Array(200).fill(35000);
    const timeMs = altitude.map((_, i) => i * 5000);
    filterAltitudeFt(timeMs, altitude).forEach((feet) => {
      expect(feet).toBeCloseTo(35000, 6);
    });
  });

  test('takes out a single wrong report in cruise', () => {
    const timeMs = Float64Array.from({ length: 300 }, (_, i) => i * 5000);
    const altitude = timeMs.map((_, i) => (i < 60 ? 20000 + 250 * i : 35000));
    altitude[200] = 35400;
    expect(filterAltitudeFt(timeMs, altitude)[200]).toBeCloseTo(35000, 6);
  });

  test('refuses unknown altitudes', () => {
    expect(() => filterAltitudeFt(of(0, 1), of(1, Number.NaN))).toThrow(InputError);
  });
});

test('a pseudo waypoint lies inside its leg, at the altitude of its start', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 30, max: 9000 }),
      fc.integer({ min: -9000, max: 9000 }),
      (seconds, rise) => {
        const plan = {
          timeMs: of(0, seconds * 1000),
          longitude: of(179, -179),
          latitude: of(10, 11),
          altitudeFt: of(30000, 30000 + rise),
        };
        const { timeMs, altitudeFt } = addPseudoWaypoints(plan);
        const isSlow = rise !== 0 && Math.abs(rise) / (seconds / 60) < 500;
        expect(timeMs).toHaveLength(isSlow ? 3 : 2);
        if (!isSlow) return;
        expect(timeMs[1]).toBeGreaterThanOrEqual(0);
        expect(timeMs[1]).toBeLessThanOrEqual(seconds * 1000);
        expect(altitudeFt[1]).toBe(30000);
      },
    ),
  );
});

test('gaps are 0 on a report and unknown outside all reports', () => {
  expect(reportGapsS(of(0, 500, 3000, 9000), of(0, 3000, 4000))).toEqual(of(0, 3, 0, Number.NaN));
});

test('reports are dense up to a median spacing of 10 s', () => {
  const spacing = fc.oneof(
    fc.integer({ min: 1, max: 20 }),
    fc.constantFrom(10, 10.001, 9.999),
    fc.double({ min: 9, max: 11, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(spacing, { maxLength: 12 }), (spacingsS) => {
      const times = [0];
      for (const seconds of spacingsS) times.push((times.at(-1) as number) + 1000 * seconds);
      const sorted = times
        .slice(1)
        .map((time, i) => (time - (times[i] as number)) / 1000)
        .sort((a, b) => a - b);
      const half = sorted.length >> 1;
      const middle = sorted.length % 2 === 1 ? [sorted[half]] : [sorted[half - 1], sorted[half]];
      const median = (middle as number[]).reduce((sum, seconds) => sum + seconds, 0) / middle.length;
      expect(hasDenseReports(Float64Array.from(times))).toBe(!(median > 10));
    }),
  );
});
