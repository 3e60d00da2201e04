import { destinationLatitude, destinationLongitude } from '@contrails/physics/geodesy';
import { DAY_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { times } from '../../../test/support/effort.ts';
import { resampleLeg } from '../src/build/resample-leg.ts';
import { healLeg } from '../src/heal/heal.ts';
import {
  type AirframeReports,
  buildFlights,
  FLIGHT_QUALITY,
  indexAirports,
  LEG_NAMESPACE,
  resampleFlight,
} from '../src/index.ts';
import { REPORT_NAMES } from '../src/table/airframe.ts';
import { rowNumbers } from '../src/telemetry/airframe-reports.ts';
import { reportsWith } from './support/reports.ts';

const START_MS = Date.UTC(2025, 0, 1);

interface LegPlan {
  readonly startS: number;
  readonly durationS: number;
  readonly stepS: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly azimuth: number;
  readonly cruiseFt: number;
  readonly callsign: string | null;
  readonly flightId: string | null;
}

const PLAN: LegPlan = {
  startS: 0,
  durationS: 5400,
  stepS: 30,
  latitude: 50,
  longitude: 8,
  azimuth: 90,
  cruiseFt: 35_000,
  callsign: 'ABC12',
  flightId: null,
};

/** A flight at 220 m/s along a great circle that climbs and descends with 2,000 ft/min. */
function fly(plan: Partial<LegPlan> = {}) {
  const { startS, durationS, stepS, latitude, longitude, azimuth, cruiseFt, callsign, flightId } = {
    ...PLAN,
    ...plan,
  };
  return Array.from({ length: Math.floor(durationS / stepS) + 1 }, (_, i) => {
    const s = i * stepS;
    return {
      timestamp: START_MS + 1000 * (startS + s),
      latitude: destinationLatitude(latitude, azimuth, 220 * s),
      longitude: destinationLongitude(longitude, latitude, azimuth, 220 * s),
      altitude_baro: Math.min(cruiseFt, 1500 + (2000 / 60) * Math.min(s, durationS - s)),
      callsign,
      flight_id: flightId,
    };
  });
}

type Report = ReturnType<typeof fly>[number] & {
  readonly altitude_gnss?: number;
  readonly nic?: number;
  readonly nacp?: number;
  readonly onGround?: number;
  readonly legFlag?: number;
  readonly aircraft_type_icao?: string | null;
  readonly departure_airport_icao?: string | null;
  readonly arrival_airport_icao?: string | null;
};

function airframe(reports: readonly Report[]): AirframeReports {
  const numbers = (
    name: 'timestamp' | 'latitude' | 'longitude' | 'altitude_baro' | 'altitude_gnss' | 'nic' | 'nacp',
  ) => Float64Array.from(reports, (report) => report[name] ?? Number.NaN);
  const texts = (
    name: 'callsign' | 'flight_id' | 'aircraft_type_icao' | 'departure_airport_icao' | 'arrival_airport_icao',
  ) => reports.map((report) => report[name] ?? null);
  return reportsWith({
    timestamp: numbers('timestamp'),
    latitude: numbers('latitude'),
    longitude: numbers('longitude'),
    altitude_baro: numbers('altitude_baro'),
    altitude_gnss: numbers('altitude_gnss'),
    nic: numbers('nic'),
    nacp: numbers('nacp'),
    callsign: texts('callsign'),
    flight_id: texts('flight_id'),
    aircraft_type_icao: texts('aircraft_type_icao'),
    departure_airport_icao: texts('departure_airport_icao'),
    arrival_airport_icao: texts('arrival_airport_icao'),
    onGround: Uint8Array.from(reports, ({ onGround }) => onGround ?? 0),
    legFlag: Uint8Array.from(reports, ({ legFlag }) => legFlag ?? 0),
  });
}

const NO_AIRPORTS = { airports: indexAirports([]) };
const build = (reports: readonly Report[], settings = {}) =>
  buildFlights(airframe(reports), { ...NO_AIRPORTS, ...settings });

describe('legs', () => {
  test('a stay on the ground cuts', () => {
    const ground = Array.from({ length: 10 }, (_, i) => ({
      ...(fly()[0] as Report),
      timestamp: START_MS + 1000 * (5430 + 30 * i),
      onGround: 1,
    }));
    const { flights, onGroundCount } = build([...fly(), ...ground, ...fly({ startS: 5760 })]);
    expect(flights.map(({ cut }) => cut)).toEqual([null, 'ground_seen']);
    expect(onGroundCount).toBe(10);
  });

  test('a mark of the source cuts near the ground and is ignored in cruise', () => {
    const marked = (at: number) =>
      fly({ durationS: 7200 }).map((one, i) => ({ ...one, legFlag: i === at ? 1 : 0 }));
    expect(build(marked(5)).flights).toHaveLength(2);
    expect(build(marked(100)).flights).toHaveLength(1);
  });

  test('a callsign that changes in cruise does not cut', () => {
    const reports = fly({ durationS: 7200 }).map((one, i) => ({
      ...one,
      callsign: i < 120 ? 'ABC12' : 'ABC34',
    }));
    const { flights } = build(reports);
    expect(flights).toHaveLength(1);
    expect((flights[0]?.quality ?? 0) & FLIGHT_QUALITY.callsignChanged).toBe(FLIGHT_QUALITY.callsignChanged);
  });

  test('a callsign is held by reports of its own leg, not by those of a leg on another day', () => {
    const track = fly({ durationS: 24_000, flightId: null });
    const far = track.slice(-2).map((one) => ({ ...one, callsign: 'OTHER1' }));
    const leg = [...track.slice(0, 200), ...far];
    const later = fly({ startS: 24_000 + 9 * 3600, callsign: 'OTHER1', flightId: null });
    expect(build([...leg, ...later]).flights[0]).toEqual(build(leg).flights[0]);
  });

  test('reports without a callsign between two legs belong to the nearer one', () => {
    const first = fly({ durationS: 3600 });
    const second = fly({ startS: 3900, durationS: 3600, callsign: 'XYZ9' });
    const between = [3650, 3850].map((s) => ({
      ...(first.at(-1) as Report),
      timestamp: START_MS + 1000 * s,
      callsign: null,
    }));
    const { flights } = build([...first, ...between, ...second]);
    expect(flights.map(({ cut, reportCount }) => [cut, reportCount])).toEqual([
      [null, first.length + 1],
      ['callsign', second.length + 1],
    ]);
  });

  test('an id that breaks over the ocean is joined, and one that breaks near the ground is not', () => {
    const broken = (at: number) =>
      fly({ durationS: 7200 }).map((one, i) => ({ ...one, flight_id: i < at ? 'p1' : 'p2' }));
    const [joined, ...others] = build(broken(120)).flights;
    expect(others).toEqual([]);
    expect(joined?.flightId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
    expect(joined?.usedCount).toBe(joined?.reportCount);
    expect((joined?.quality ?? 0) & FLIGHT_QUALITY.providerIdJoined).toBe(FLIGHT_QUALITY.providerIdJoined);
    expect(build(broken(235)).flights.map(({ cut }) => cut)).toEqual([null, 'provider_id']);
  });

  test('a few reports without an id within 20 minutes join the leg that has one', () => {
    const leg = fly({ flightId: 'p1' });
    const last = leg.at(-1) as Report;
    const scrap = (afterS: number) =>
      [0, 60].map((s) => ({ ...last, timestamp: last.timestamp + 1000 * (afterS + s), flight_id: null }));
    expect(build([...leg, ...scrap(1000)]).flights.map(({ reportCount }) => reportCount)).toEqual([
      leg.length + 2,
    ]);
    expect(build([...leg, ...scrap(1300)]).flights.map(({ outcome }) => outcome === 'fragment')).toEqual([
      false,
      true,
    ]);
  });
});

describe('ids', () => {
  const twoLegs = (first: string | null, second: string | null) =>
    build([...fly({ flightId: first }), ...fly({ startS: 20_000, flightId: second })]).flights.map(
      ({ flightId }) => flightId,
    );

  test('the id of the provider stays where it is unanimous and belongs to one leg', () => {
    expect(twoLegs('p1', 'p2')).toEqual(['p1', 'p2']);
    expect(new Set(twoLegs('p1', 'p1')).has('p1')).toBe(false);
    expect(twoLegs(null, 'p2')[1]).toBe('p2');
  });

  test('a fragment has the id of the provider unless a leg or another fragment has it', () => {
    const scrap = (startS: number, flightId: string) => fly({ startS, flightId }).slice(0, 3);
    const ids = (...reports: Report[][]) => build(reports.flat()).flights.map(({ flightId }) => flightId);
    expect(ids(fly({ flightId: 'p1' }), scrap(40_000, 'p2'))).toEqual(['p1', 'p2']);
    expect(ids(fly({ flightId: 'p1' }), scrap(40_000, 'p1'))).toEqual([
      'p1',
      expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
    ]);
    expect(new Set(ids(scrap(0, 'p1'), scrap(40_000, 'p1'))).has('p1')).toBe(false);
  });

  test('an id of two airframes is not used', () => {
    const { flights } = build(fly({ flightId: 'p1' }), { ambiguousIds: new Set(['p1']) });
    expect(flights[0]?.flightId).not.toBe('p1');
  });

  test('without one, it is the version 5 UUID of the address and the first second', () => {
    // python3 -c "import uuid; print(uuid.uuid5(uuid.UUID(NAMESPACE), '40095D|1735689600'))"
    expect(LEG_NAMESPACE).toBe('33f1855d-270f-4f89-aa12-6ce1d79dc1f5');
    expect(build(fly()).flights[0]?.flightId).toBe('502bdd9b-92b0-5a7a-9a8e-49fb825e3c83');
  });

  test('a published id stays with the leg', () => {
    const { flights } = build(fly(), { publishedId: () => 'kept' });
    expect(flights[0]?.flightId).toBe('kept');
  });
});

describe('altitudes', () => {
  test('an unknown pressure altitude is the geometric one less the offset around it', () => {
    const reports = fly().map((one, i) => ({
      ...one,
      altitude_gnss: one.altitude_baro + 400,
      altitude_baro: i % 7 === 3 ? Number.NaN : one.altitude_baro,
    }));
    const [flight] = build(reports).flights;
    const [whole] = build(fly()).flights;
    expect(flight?.healed?.counts).toMatchObject({ altitude: 0, altitude_from_gnss: 26 });
    expect(flight?.flight?.columns.altitudeFt).toEqual(whole?.flight?.columns.altitudeFt);
    expect((flight?.quality ?? 0) & FLIGHT_QUALITY.altitudeFromGnss).toBe(FLIGHT_QUALITY.altitudeFromGnss);
  });

  test('with geometric altitudes only, the weather decides, and without it the leg is empty', () => {
    const reports = fly().map((one) => ({
      ...one,
      altitude_gnss: one.altitude_baro + 400,
      altitude_baro: Number.NaN,
    }));
    expect(build(reports).flights[0]?.outcome).toBe('empty_after_heal');
    const settings = { pressureAltitude: (_: number, __: number, ___: number, gnss: number) => gnss - 400 };
    const [flight] = build(reports, settings).flights;
    expect(flight?.healed?.counts).toMatchObject({ altitude: 0, altitude_from_gnss: reports.length });
  });

  test('the ceiling of the type and the elevations of the airports are the limits', () => {
    const airports = indexAirports([
      { icao: 'LLMZ', latitude: 50, longitude: 8, elevationFt: -1266, size: 'small' },
      { icao: 'EDDF', latitude: 50.03, longitude: 20, elevationFt: 364, size: 'large' },
    ]);
    const known = {
      departure_airport_icao: 'LLMZ',
      arrival_airport_icao: 'EDDF',
      aircraft_type_icao: 'A320',
    };
    const reports = fly().map((one, i) => ({
      ...one,
      ...known,
      altitude_baro: i === 0 ? -1000 : i === 90 ? 45_000 : one.altitude_baro,
    }));
    expect(build(reports, { airports }).flights[0]?.healed?.counts.altitude).toBe(1);
    expect(build(reports, { airports, isStrict: true }).flights[0]?.healed?.counts.altitude).toBe(1);
    const low = reports.map((one, i) => ({ ...one, altitude_baro: i === 0 ? -1800 : one.altitude_baro }));
    expect(build(low, { airports }).flights[0]?.healed?.counts.altitude).toBe(2);
  });
});

test('of two reports that contradict each other, the one that is known to be inaccurate goes', () => {
  const reports = fly().map((one, i) => ({
    ...one,
    latitude: i === 60 ? one.latitude + 1 : one.latitude,
    nic: i === 60 ? 3 : 8,
  }));
  expect(build(reports).flights[0]?.healed?.counts.speed).toBe(1);
  const equal = reports.map((one) => ({ ...one, nic: 8 }));
  expect(build(equal).flights[0]?.healed?.counts.speed).toBe(3);
});

test('accuracy that drops within minutes is a sign of interference', () => {
  const nacp = (values: (i: number) => number) =>
    (build(fly().map((one, i) => ({ ...one, nacp: values(i) }))).flights[0]?.quality ?? 0) &
    FLIGHT_QUALITY.gnssDrop;
  expect(nacp((i) => (i < 60 ? 9 : 0))).toBe(FLIGHT_QUALITY.gnssDrop);
  expect(nacp(() => 0)).toBe(0);
});

test('a flight far from its airport is partial, and rejected by the strict rules', () => {
  const airports = indexAirports([
    { icao: 'AAAA', latitude: 50, longitude: 8, elevationFt: 0, size: 'large' },
    { icao: 'BBBB', latitude: 10, longitude: 8, elevationFt: 0, size: 'large' },
  ]);
  const reports = fly().map((one) => ({
    ...one,
    departure_airport_icao: 'AAAA',
    arrival_airport_icao: 'BBBB',
  }));
  const [flight] = build(reports, { airports }).flights;
  expect(flight).toMatchObject({ outcome: 'partial', codes: ['destination_airport'], grade: 'D' });
  expect(build(reports, { airports, isStrict: true }).flights[0]?.outcome).toBe('destination_airport');
});

describe('hostile reports', () => {
  const outcomes = (reports: readonly Report[]) => build(reports).flights.map(({ outcome }) => outcome);

  test('no report, one report, all at the same time', () => {
    expect(outcomes([])).toEqual([]);
    expect(outcomes(fly().slice(0, 1))).toEqual(['fragment']);
    const same = fly().map((one) => ({ ...one, timestamp: START_MS }));
    expect(build(same).flights.map(({ outcome, reportCount }) => [outcome, reportCount])).toEqual([
      ['fragment', same.length],
    ]);
  });

  test('a leg of more than 20,000 reports is thinned to one in 30 s', () => {
    const dense = build(fly({ stepS: 0.25 })).flights;
    expect(dense).toMatchObject([
      { outcome: 'ok', reportCount: 21_601, usedCount: 181, thinnedCount: 21_420 },
    ]);
    const [sparse] = build(fly({ stepS: 30 })).flights;
    expect(dense[0]?.flight).toEqual(sparse?.flight);
    expect(build(fly({ stepS: 0.5 })).flights).toMatchObject([{ thinnedCount: 0, usedCount: 10_801 }]);
  });

  test('a leg that still has more than 20,000 reports is too long', () => {
    expect(build(fly({ durationS: 20_000 * 30 })).flights).toMatchObject([
      { outcome: 'too_long', codes: ['too_long'], reportCount: 20_001, usedCount: 0 },
    ]);
  });

  test('no altitude at all leaves nothing', () => {
    expect(outcomes(fly().map((one) => ({ ...one, altitude_baro: Number.NaN })))).toEqual([
      'empty_after_heal',
    ]);
  });

  test('the antimeridian and the poles are flown over', () => {
    expect(outcomes(fly({ longitude: 178, latitude: 10 }))).toEqual(['ok']);
    expect(outcomes(fly({ latitude: 85, azimuth: 5, durationS: 9000 }))).toEqual(['ok']);
    expect(outcomes(fly({ latitude: 80, azimuth: 0, durationS: 12_000, longitude: -179 }))).toEqual(['ok']);
  });

  test('a track round the Earth is not resampled', () => {
    const round = Array.from({ length: 200 }, (_, i) => ({
      ...(fly()[0] as Report),
      timestamp: START_MS + i * 600_000,
      latitude: 60,
      longitude: ((350 + i * 3.4) % 360) - 180,
      altitude_baro: 35_000,
    }));
    expect(outcomes(round)).toEqual(['resample_failed']);
  });
});

/** Several legs of an airframe, some without ids and callsigns, in disorder and with repeated and impossible reports. */
const day = fc
  .array(
    fc.record({
      gapS: fc.integer({ min: 60, max: 20_000 }),
      durationS: fc.integer({ min: 60, max: 12_000 }),
      stepS: fc.constantFrom(20, 30, 60),
      azimuth: fc.integer({ min: 0, max: 359 }),
      latitude: fc.integer({ min: -70, max: 70 }),
      longitude: fc.integer({ min: -180, max: 179 }),
      cruiseFt: fc.integer({ min: 5000, max: 41_000 }),
      callsign: fc.constantFrom('ABC12', 'XYZ9', null),
      flightId: fc.constantFrom('p1', 'p2', 'p3', null),
      noise: fc.array(fc.nat(400), { maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((plans) => {
    let startS = 40_000;
    return plans.flatMap(({ gapS, noise, ...plan }) => {
      const reports: Report[] = fly({ ...plan, startS });
      startS += plan.durationS + gapS;
      for (const at of noise) {
        const one = reports[at];
        if (one === undefined) continue;
        if (at % 3 === 0) reports.push({ ...one, callsign: 'NOISE' });
        else if (at % 3 === 1) reports[at] = { ...one, latitude: -one.latitude };
        else reports[at] = { ...one, onGround: 1 };
      }
      return reports;
    });
  });

describe('laws', () => {
  test('every report is in exactly one leg or on the ground, and every leg has one outcome', () => {
    fc.assert(
      fc.property(day, (reports) => {
        const { flights, onGroundCount } = build(reports);
        const legs = flights.reduce((sum, { reportCount }) => sum + reportCount, 0);
        expect(legs + onGroundCount).toBe(reports.length);
        expect(onGroundCount).toBe(reports.filter(({ onGround }) => onGround === 1).length);
        for (const { healed, reportCount, usedCount, outcome, flight } of flights) {
          const { attribute = 0, duplicate_time = 0, altitude = 0, speed = 0 } = healed?.counts ?? {};
          if (outcome !== 'fragment')
            expect(attribute + duplicate_time + altitude + speed + usedCount).toBe(reportCount);
          if (outcome === 'ok' || outcome === 'partial') expect(flight).toBeDefined();
        }
      }),
      { numRuns: times(40) },
    );
  });

  test('the order of the reports does not matter', () => {
    fc.assert(
      fc.property(day, fc.infiniteStream(fc.nat()), (reports, keys) => {
        // Reports of the same time keep their order: the first of them is used.
        const unique = [...new Map(reports.map((one) => [one.timestamp, one])).values()];
        const shuffled = unique
          .map((one) => [keys.next().value, one] as const)
          .sort(([a], [b]) => a - b)
          .map(([, one]) => one);
        expect(build(shuffled)).toEqual(build(unique));
      }),
      { numRuns: 30 },
    );
  });

  test('a list of the names saves work and changes nothing', () => {
    fc.assert(
      fc.property(day, (reports) => {
        const columns = airframe(reports);
        const places = new Map<string, number>();
        const rows: number[] = [];
        const nameIndex = Uint32Array.from(reports, (_, row) => {
          const names = JSON.stringify(REPORT_NAMES.map((name) => columns[name][row] ?? null));
          const place = places.get(names) ?? rows.push(row) - 1;
          places.set(names, place);
          return place;
        });
        const listed = REPORT_NAMES.map((name) => [
          name,
          name.endsWith('_time')
            ? Float64Array.from(rows, (row) => columns[name][row] as number)
            : rows.map((row) => columns[name][row]),
        ]);
        const names = Object.fromEntries(listed) as NonNullable<AirframeReports['names']>;
        const hidden = Object.fromEntries(REPORT_NAMES.map((name) => [name, []])) as unknown as typeof names;
        expect(buildFlights({ ...columns, ...hidden, names, nameIndex }, NO_AIRPORTS)).toEqual(
          build(reports),
        );
      }),
      { numRuns: times(40) },
    );
  });

  test('legs do not depend on where days begin', () => {
    const gap = 9 * 3600;
    fc.assert(
      fc.property(fc.array(day, { minLength: 3, maxLength: 5 }), (days) => {
        // Every airframe rests for a while within two days, so a window of three days has whole legs.
        const all = days.flatMap((reports, d) =>
          reports.map((one) => ({ ...one, timestamp: one.timestamp + d * (DAY_MS + 1000 * gap) })),
        );
        const whole = build(all).flights;
        const startOf = (ms: number) => Math.floor(ms / DAY_MS);
        for (const dayNumber of new Set(whole.map(({ firstMs }) => startOf(firstMs)))) {
          const window = all.filter(({ timestamp }) => Math.abs(startOf(timestamp) - dayNumber) <= 1);
          const inWindow = build(window).flights.filter(({ firstMs }) => startOf(firstMs) === dayNumber);
          const inAll = whole.filter(({ firstMs }) => startOf(firstMs) === dayNumber);
          const spans = (flights: typeof whole) =>
            flights.map(({ firstMs, lastMs, reportCount, flight }) => [firstMs, lastMs, reportCount, flight]);
          expect(spans(inWindow)).toEqual(spans(inAll));
        }
      }),
      { numRuns: 20 },
    );
  });

  test('resampling what is resampled changes nothing', () => {
    fc.assert(
      fc.property(day, (reports) => {
        for (const { flight, outcome } of build(reports).flights) {
          if (flight === undefined || flight.gapS.length < 2 || outcome === 'too_fast') continue;
          const again = resampleFlight(flight.columns, { stepS: 60 });
          expect(again.columns.timeMs).toEqual(flight.columns.timeMs);
          // Over the antimeridian they are turned and turned back, which rounds them.
          again.columns.longitude.forEach((longitude, i) => {
            expect(Math.abs(longitude - (flight.columns.longitude[i] as number))).toBeLessThan(1e-12);
          });
          expect(again.columns.latitude).toEqual(flight.columns.latitude);
          again.columns.altitudeFt.forEach((feet, i) => {
            expect(Math.abs(feet - (flight.columns.altitudeFt[i] as number))).toBeLessThan(1e-9);
          });
          expect(again.gapS.every((gap) => gap === 0)).toBe(true);
        }
      }),
      { numRuns: times(40) },
    );
  });

  test('healing what is healed drops nothing, once the speeds have settled', () => {
    const settings = { airports: indexAirports([]), ceilingFt: () => undefined };
    fc.assert(
      fc.property(day, (reports) => {
        const columns = airframe(reports);
        let settled = healLeg(columns, rowNumbers(reports.length), settings);
        // Five rounds at a time: a leg that needs more is healed until nothing is dropped.
        for (let round = 0; settled.counts.speed > 0 && round < reports.length; round++)
          settled = healLeg(columns, settled.rows, settings);
        const again = healLeg(columns, settled.rows, settings);
        expect([...again.rows]).toEqual([...settled.rows]);
        const { attribute, duplicate_time, altitude } = again.counts;
        expect([attribute, duplicate_time, altitude]).toEqual([0, 0, 0]);
      }),
      { numRuns: times(40) },
    );
  });

  test('minutes are marked as imputed exactly where reports lie more than a minute apart', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 600 }), fc.integer({ min: 2, max: 40 }), (stepS, count) => {
        const track = {
          timeMs: Float64Array.from({ length: count }, (_, i) => START_MS + 7000 + i * stepS * 1000),
          longitude: Float64Array.from({ length: count }, (_, i) => 8 + (i * stepS) / 400),
          latitude: new Float64Array(count).fill(50),
          altitudeFt: new Float64Array(count).fill(35_000),
        };
        const leg = resampleLeg(track, undefined);
        if (typeof leg === 'string') {
          expect(leg).toBe('resample_empty');
          return;
        }
        leg.columns.timeMs.forEach((ms, i) => {
          const isReport = track.timeMs.includes(ms);
          expect(leg.imputed[i]).toBe(stepS > 60 && !isReport ? 1 : 0);
        });
      }),
      { numRuns: times(40) },
    );
  });
});
