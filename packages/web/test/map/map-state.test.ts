import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SCALINGS } from '../../src/compute/scalings.ts';
import {
  AIRCRAFT_CLASSES,
  AIRCRAFT_TYPES,
  FLIGHT_LEVELS,
  formatMapState,
  HOUR_MS,
  INITIAL_STATE,
  LAYERS,
  MAX_BUFFER,
  type MapState,
  parseCamera,
  parseMapState,
  WEATHER_LAYERS,
} from '../../src/map/map-state.ts';
import { formatRoute, parseRoute } from '../../src/shell/route.ts';

const states: fc.Arbitrary<MapState> = fc.record({
  layer: fc.constantFrom(...LAYERS),
  flightLevel: fc.constantFrom(...FLIGHT_LEVELS),
  timeMs: fc.option(
    fc.integer({ min: 0, max: 600_000 }).map((hour) => hour * HOUR_MS),
    { nil: undefined },
  ),
  aircraftClass: fc.constantFrom(...AIRCRAFT_CLASSES),
  aircraftType: fc.constantFrom(...AIRCRAFT_TYPES),
  here: fc.constantFrom(undefined, ...SCALINGS),
  threshold: fc.integer({ min: 0, max: 4 }),
  buffer: fc.integer({ min: 0, max: MAX_BUFFER }),
  weather: fc.constantFrom(...WEATHER_LAYERS),
  wind: fc.boolean(),
  traffic: fc.boolean(),
  aircraft: fc.option(fc.constantFrom('3c6444', 'a1b2c3 2024-02-29T12'), { nil: undefined }),
  segments: fc.boolean(),
  detections: fc.boolean(),
});

test('a link restores the view', () => {
  fc.assert(
    fc.property(states, (state) => {
      const hash = formatRoute({
        view: 'map',
        parameters: formatMapState(state, { longitude: -20.5, latitude: 51.25, zoom: 3.5 }),
      });
      const { view, parameters } = parseRoute(hash);
      expect(view).toBe('map');
      expect(parseMapState(parameters)).toEqual(state);
      expect(parseCamera(parameters)).toEqual({ longitude: -20.5, latitude: 51.25, zoom: 3.5 });
    }),
  );
});

test('a link with nonsense shows what the map begins with', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('layer', 'fl', 'time', 'class', 'at', 'threshold'), fc.string()),
      (made) => {
        const parameters = new URLSearchParams({ ...made, fl: '275', time: '2026-13-01T00' });
        const { flightLevel, timeMs } = parseMapState(parameters);
        expect(flightLevel).toBe(INITIAL_STATE.flightLevel);
        expect(timeMs).toBeUndefined();
      },
    ),
  );
});

test('a link never has a key in it', () => {
  expect(formatMapState(INITIAL_STATE, undefined).toString()).toBe('fl=350');
});
