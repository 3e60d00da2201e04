import { expect, test } from 'vitest';
import { INITIAL_LIVE } from '../../src/live/live-state.ts';
import { Sky } from '../../src/live/sky.ts';
import { aircraftAt, contrailAt, ribbonOf, shownContrails, symbolsOf } from '../../src/live/sky-marks.ts';
import { SYMBOL_FIELDS } from '../../src/stage/symbol-layer.ts';
import { contrail, flight, NOW_MS } from './support/features.ts';

function skyOf(...given: Parameters<typeof flight>[]): Sky {
  const sky = new Sky();
  const flights = given.map((one) => flight(...one));
  const contrails = flights.map(({ properties: { id, persistent } }) =>
    contrail(`${id}/1`, { net_forcing_w_per_m2: persistent ? 8 : -8 }),
  );
  sky.apply({ type: 'snapshot', flights, contrails });
  return sky;
}

const SKY = skyOf(
  ['A1', { persistent: true }, [10, 50]],
  ['B2', { altitude_ft: 12_000, callsign: 'AFR7' }, [11, 50]],
);
const PICK = { state: INITIAL_LIVE, zoom: 5, nowMs: NOW_MS };
const settings = { state: INITIAL_LIVE, theme: 'dark', nowMs: NOW_MS, clock: () => NOW_MS } as const;

test('filters choose aircraft, and contrails with them', () => {
  const count = (change: Partial<typeof INITIAL_LIVE>) => {
    const state = { ...INITIAL_LIVE, ...change };
    return [symbolsOf(SKY, { ...settings, state }).count, shownContrails(SKY, state).length];
  };
  expect(count({})).toEqual([2, 2]);
  expect(count({ minLevel: 300 })).toEqual([1, 1]);
  expect(count({ callsign: 'AF' })).toEqual([1, 1]);
  expect(count({ isLasting: true })).toEqual([1, 1]);
  expect(count({ contrails: 'cooling' })).toEqual([2, 1]);
  expect(count({ contrails: 'none' })).toEqual([2, 0]);
});

test('contrails of aircraft that are gone stay unless aircraft are filtered', () => {
  const sky = skyOf(['A1']);
  sky.apply({ type: 'remove', flights: ['A1'], contrails: [] });
  expect(shownContrails(sky, INITIAL_LIVE)).toHaveLength(1);
  expect(shownContrails(sky, { ...INITIAL_LIVE, callsign: 'DLH' })).toHaveLength(0);
});

test('memory of the symbols is used again', () => {
  const first = symbolsOf(SKY, settings);
  expect(symbolsOf(SKY, settings, first.records).records).toBe(first.records);
  expect(first.records.length).toBeGreaterThanOrEqual(2 * SYMBOL_FIELDS);
});

test('an aircraft without a track is a dot, and one of a past minute does not move', () => {
  const { records } = symbolsOf(skyOf(['A1', { track: null }]), settings);
  expect(records[6]).toBeLessThan(0);
  const still = symbolsOf(SKY, { ...settings, clock: undefined });
  expect([...still.records.subarray(2, 4)]).toEqual([0, 0]);
});

test('warming contrails are redder than cooling ones, and thin ones fainter', () => {
  const [warm, cool] = [...SKY.contrails.values()].map((one) => ribbonOf(one, INITIAL_LIVE).color);
  const red = (color = 0) => color & 255;
  const blue = (color = 0) => (color >>> 16) & 255;
  expect(red(warm)).toBeGreaterThan(blue(warm));
  expect(blue(cool)).toBeGreaterThan(red(cool));
  const sky = new Sky();
  sky.apply({
    type: 'update',
    flights: [],
    contrails: [contrail('A1/1', { optical_depth: 0.01 }), contrail('A1/2', { optical_depth: 0.2 })],
  });
  const [thin = 0, thick = 0] = [...sky.contrails.values()].map(
    (one) => ribbonOf(one, INITIAL_LIVE).color >>> 24,
  );
  expect(thin).toBeLessThan(thick);
});

test('the nearest aircraft within reach is found, also across the antimeridian', () => {
  expect(aircraftAt(SKY, { longitude: 10.05, latitude: 50 }, PICK)?.facts.id).toBe('A1');
  expect(aircraftAt(SKY, { longitude: 20, latitude: 50 }, PICK)).toBeUndefined();
  const far = skyOf(['A1', { ground_speed_kt: 0 }, [179.99, 50]]);
  expect(aircraftAt(far, { longitude: -179.99, latitude: 50 }, PICK)?.facts.id).toBe('A1');
});

test('a contrail is found anywhere along it, and not beside it', () => {
  expect(contrailAt(SKY, { longitude: 8.7, latitude: 50.02 }, PICK)?.facts.flight_id).toBe('A1');
  expect(contrailAt(SKY, { longitude: 8.7, latitude: 52 }, PICK)).toBeUndefined();
});

test('a contrail is found where the wind has carried it', () => {
  const sky = new Sky();
  sky.apply({ type: 'update', flights: [], contrails: [contrail('A1/1', { drift_m_per_s: [0, 100] })] });
  const after = (seconds: number, latitude: number) =>
    contrailAt(sky, { longitude: 8.7, latitude }, { ...PICK, zoom: 8, nowMs: NOW_MS + 1000 * seconds });
  // A hundred metres a second are 0.27 degrees in five minutes, and no more: it is not heard of for longer.
  expect(after(0, 50)).toBeDefined();
  expect(after(300, 50)).toBeUndefined();
  expect(after(300, 50.27)).toBeDefined();
  expect(after(3600, 50.27)).toBeDefined();
});
