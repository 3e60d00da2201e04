import type { Airport } from '@contrails/flights';
import { haversineM } from '@contrails/physics/geodesy';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { describe, expect, it } from 'vitest';
import { legsBetween, openSyntheticTraffic } from '../../src/traffic/index.ts';

const DAY = Date.parse('2026-03-01T00:00:00Z');

const AIRPORTS: readonly Airport[] = [
  airport('EGLL', 51.47, -0.45),
  airport('KJFK', 40.64, -73.78),
  airport('LLBG', 32.01, 34.89),
  airport('LGAV', 37.94, 23.94),
  airport('WSSS', 1.36, 103.99),
  airport('YSSY', -33.95, 151.18),
  airport('PHNL', 21.32, -157.92),
  airport('RJAA', 35.76, 140.39),
];
const traffic = openSyntheticTraffic({ airports: AIRPORTS, legsPerDay: 150, seed: 1 });

describe('synthetic traffic', () => {
  it('has about as many legs in a day as asked for', () => {
    const legs = traffic.fleet.flatMap((airframe) => [...legsBetween(airframe, DAY, DAY + DAY_MS)]);
    const takeoffs = legs.filter(({ takeoffMs }) => takeoffMs >= DAY);
    expect(takeoffs.length).toBeGreaterThan(120);
    expect(takeoffs.length).toBeLessThan(180);
  });

  it('has the same flights between the airports that are served, and no others', () => {
    const isServed = ({ longitude }: Airport) => longitude > -100 && longitude < 50;
    const { fleet } = openSyntheticTraffic({ airports: AIRPORTS, legsPerDay: 150, seed: 1, isServed });
    const isBoth = ({ base, partner }: (typeof fleet)[number]) => isServed(base) && isServed(partner);
    const names = (list: typeof fleet) => list.map(({ tailNumber }) => tailNumber);
    expect(names(fleet)).toEqual(names(traffic.fleet.filter(isBoth)));
    expect(fleet.length).toBeGreaterThan(0);
    expect(fleet.length).toBeLessThan(traffic.fleet.length);
  });

  it('gives the same reports for a window and for its two halves', () => {
    const whole = reports(DAY, DAY + 2 * HOUR_MS);
    const halves = [...reports(DAY, DAY + HOUR_MS), ...reports(DAY + HOUR_MS, DAY + 2 * HOUR_MS)];
    expect(halves.toSorted()).toEqual(whole.toSorted());
    expect(whole.length).toBeGreaterThan(1000);
  });

  it('moves and climbs as fast as aircraft do', () => {
    for (const { outbound: profile } of traffic.fleet) {
      for (let ms = 0; ms + 60_000 < profile.durationMs; ms += 60_000) {
        const [a, b] = [profile.at(ms), profile.at(ms + 60_000)];
        const speed = haversineM(a.longitude, a.latitude, b.longitude, b.latitude) / 60;
        const isPlausible = speed > 60 && speed < 260 && Math.abs(a.altitudeFt - b.altitudeFt) < 3000;
        expect(isPlausible, `${speed} m/s, ${a.altitudeFt} to ${b.altitudeFt} ft`).toBe(true);
      }
    }
  });

  it('ends a leg at the airport of its destination', () => {
    for (const airframe of traffic.fleet) {
      const end = airframe.outbound.at(airframe.outbound.durationMs);
      expect(end.latitude).toBeCloseTo(airframe.partner.latitude, 5);
      expect(end.longitude).toBeCloseTo(airframe.partner.longitude, 5);
      expect(end.altitudeFt).toBeCloseTo(airframe.partner.elevationFt, 1);
    }
  });

  it('has the faults of real feeds', () => {
    const lines = text(DAY, DAY + DAY_MS).split('\n');
    const targets = lines.filter((line) => line.endsWith('}}')).map((line) => JSON.parse(line).target);
    const ids = new Map<string, Set<string>>();
    for (const { flight_id, callsign, departure_scheduled_time } of targets) {
      if (flight_id === undefined) continue;
      const leg = `${callsign} ${departure_scheduled_time}`;
      ids.set(leg, (ids.get(leg) ?? new Set()).add(flight_id));
    }
    expect({
      unreadable: lines.some((line) => line !== '' && !line.endsWith('}}')),
      repeated: new Set(lines).size < lines.length,
      onGround: targets.some(({ on_ground }) => on_ground),
      satellite: targets.some(({ collection_type }) => collection_type === 'satellite'),
      unaddressed: targets.some(({ icao_address }) => icao_address === '000000'),
      jammed: targets.some(({ nacp }) => nacp === 2),
      routeless: targets.some((target) => target.flight_id && !target.arrival_airport_icao),
      brokenId: [...ids.values()].some(({ size }) => size > 1),
    }).toEqual({
      unreadable: true,
      repeated: true,
      onGround: true,
      satellite: true,
      unaddressed: true,
      jammed: true,
      routeless: true,
      brokenId: true,
    });
  });
});

function airport(icao: string, latitude: number, longitude: number): Airport {
  return { icao, latitude, longitude, elevationFt: 100, size: 'large', isScheduled: true };
}

function text(fromMs: number, toMs: number): string {
  return [...traffic.lines(fromMs, toMs)].join('');
}

function reports(fromMs: number, toMs: number): string[] {
  return text(fromMs, toMs).split('\n').filter(Boolean);
}
