/** How aircraft and contrails look on the map, and which of them is at a position. */
import { toUnit } from '../grid/grid.ts';
import type { Theme } from '../stage/basemap-style.ts';
import { CONTRAIL_COLORS, colorAt, FORCING_COLORS } from '../stage/color-scale.ts';
import { mercatorPerPixel, mercatorX, mercatorY } from '../stage/mercator.ts';
import { driftSeconds, type Ribbon } from '../stage/ribbon-layer.ts';
import { SYMBOL_FIELDS, type Symbols } from '../stage/symbol-layer.ts';
import type { Position } from '../track.ts';
import type { LiveState } from './live-state.ts';
import { type Aircraft, type Contrail, placeAt, type Sky } from './sky.ts';

type Rgb = readonly [red: number, green: number, blue: number];

/** The lower, the closer to the ground of the map. */
export const LEVEL_SHADES: Readonly<Record<Theme, readonly [low: Rgb, high: Rgb]>> = {
  dark: [
    [96, 116, 136],
    [238, 244, 250],
  ],
  light: [
    [142, 158, 173],
    [16, 34, 52],
  ],
};
/** Of aircraft that leave a contrail which lasts. */
export const LASTING_COLORS: Readonly<Record<Theme, Rgb>> = { dark: [255, 190, 70], light: [186, 84, 0] };
const CHOSEN_COLORS: Readonly<Record<Theme, Rgb>> = { dark: [124, 196, 255], light: [11, 95, 165] };
/** From here on an aircraft is as bright as it gets. */
const HIGH_FT = 40_000;

const SIZES = { airborne: 17, chosen: 26, ground: 8, stale: 13 } as const;

export function isShown({ facts }: Aircraft, state: LiveState): boolean {
  if (state.callsign !== '' && !(facts.callsign ?? '').startsWith(state.callsign)) return false;
  if (state.isLasting && facts.persistent !== true) return false;
  return (facts.altitude_ft ?? 0) >= 100 * state.minLevel;
}

/** Under a filter of aircraft, contrails of others are left out, as are those of aircraft that are gone. */
export function shownContrails(sky: Sky, state: LiveState): Contrail[] {
  const { contrails } = state;
  if (contrails === 'none') return [];
  const isFiltered = state.callsign !== '' || state.isLasting || state.minLevel > 0;
  return [...sky.contrails.values()].filter(({ facts }) => {
    if (contrails !== 'all' && facts.net_forcing_w_per_m2 > 0 !== (contrails === 'warming')) return false;
    if (!isFiltered) return true;
    const aircraft = sky.aircraft.get(facts.flight_id);
    return aircraft !== undefined && isShown(aircraft, state);
  });
}

/** Thin contrails fade; what can hardly be seen in the sky can hardly be seen here. */
export function ribbonOf(contrail: Contrail, state: LiveState): Ribbon {
  const { facts, points, halfWidth, lengthM, moveX, moveY, seenMs } = contrail;
  const isNow = state.coloring === 'now';
  const { scale, stops } = isNow ? CONTRAIL_COLORS : FORCING_COLORS;
  const value = isNow ? facts.net_forcing_w_per_m2 : facts.energy_forcing_j / Math.max(lengthM, 1);
  const { red, green, blue } = colorAt({ stops }, toUnit(value, scale));
  const isChosen = facts.flight_id === state.flight;
  const opacity = isChosen ? 1 : Math.min(0.3 + 2.5 * Math.max(facts.optical_depth, 0), 0.95);
  return { points, halfWidth, color: packed([red, green, blue], opacity), moveX, moveY, seenMs };
}

interface SymbolSettings {
  readonly state: LiveState;
  readonly theme: Theme;
  readonly nowMs: number;
  readonly clock: Symbols['clock'];
}

/** `records` is used again if it is large enough. */
export function symbolsOf(sky: Sky, settings: SymbolSettings, before?: Float32Array): Symbols {
  const { state, theme, nowMs, clock } = settings;
  const size = SYMBOL_FIELDS * sky.aircraft.size;
  const records =
    before !== undefined && before.length >= size ? before : new Float32Array(Math.ceil(1.3 * size));
  const colors = new Uint32Array(records.buffer);
  let at = 0;
  for (const aircraft of sky.aircraft.values()) {
    if (!isShown(aircraft, state)) continue;
    const { facts, x, y, moveX, moveY, seenMs } = aircraft;
    const isChosen = facts.id === state.flight;
    const pixels = isChosen ? SIZES.chosen : SIZES[facts.state];
    const isMoving = clock !== undefined;
    records[at] = x;
    records[at + 1] = y;
    records[at + 2] = isMoving ? moveX : 0;
    records[at + 3] = isMoving ? moveY : 0;
    records[at + 4] = (seenMs - nowMs) / 1000;
    records[at + 5] = ((facts.track ?? 0) * Math.PI) / 180;
    records[at + 6] = facts.track === null ? -pixels : pixels;
    colors[at + 7] = packed(
      isChosen ? CHOSEN_COLORS[theme] : shadeOf(facts, theme),
      facts.state === 'stale' ? 0.45 : 1,
    );
    at += SYMBOL_FIELDS;
  }
  return { records, count: at / SYMBOL_FIELDS, epochMs: nowMs, clock };
}

function shadeOf({ altitude_ft, persistent }: Aircraft['facts'], theme: Theme): Rgb {
  if (persistent === true) return LASTING_COLORS[theme];
  const [low, high] = LEVEL_SHADES[theme];
  const share = Math.min(Math.max((altitude_ft ?? 0) / HIGH_FT, 0), 1);
  return [0, 1, 2].map((k) => (low[k] as number) + share * ((high[k] as number) - (low[k] as number))) as [
    number,
    number,
    number,
  ];
}

function packed([red, green, blue]: Rgb, opacity: number): number {
  const byte = (value: number) => Math.round(value) & 255;
  return (byte(red) | (byte(green) << 8) | (byte(blue) << 16) | (byte(255 * opacity) << 24)) >>> 0;
}

/** A hand or a pointer hits what is so near [px]. */
const REACH_PX = 14;

interface Pick {
  readonly state: LiveState;
  readonly zoom: number;
  readonly nowMs: number;
}

/** The aircraft nearest to a position, within reach. */
export function aircraftAt(sky: Sky, at: Position, { state, zoom, nowMs }: Pick): Aircraft | undefined {
  const reach = REACH_PX * mercatorPerPixel(zoom);
  const [x, y] = [mercatorX(at.longitude), mercatorY(at.latitude)];
  let nearest = reach;
  let found: Aircraft | undefined;
  for (const aircraft of sky.aircraft.values()) {
    const [ownX, ownY] = placeAt(aircraft, nowMs);
    const across = Math.abs(ownX - x);
    const distance = Math.hypot(Math.min(across, 1 - across), ownY - y);
    if (distance >= nearest || !isShown(aircraft, state)) continue;
    nearest = distance;
    found = aircraft;
  }
  return found;
}

/** The contrail that a position is on, or near, where the wind has carried it. */
export function contrailAt(sky: Sky, at: Position, { state, zoom, nowMs }: Pick): Contrail | undefined {
  const [atX, atY] = [mercatorX(at.longitude), mercatorY(at.latitude)];
  const margin = 0.5 * REACH_PX * mercatorPerPixel(zoom);
  let found: Contrail | undefined;
  let nearest = Number.POSITIVE_INFINITY;
  for (const contrail of shownContrails(sky, state)) {
    const reach = contrail.halfWidth + margin;
    const seconds = driftSeconds(contrail.seenMs, nowMs);
    const [x, y] = [atX - seconds * contrail.moveX, atY - seconds * contrail.moveY];
    const [west, north, east, south] = contrail.box;
    if (x < west - reach || x > east + reach || y < north - reach || y > south + reach) continue;
    const distance = distanceTo(contrail.points, x, y);
    if (distance > reach || distance >= nearest) continue;
    nearest = distance;
    found = contrail;
  }
  return found;
}

/** From a point to the nearest one of a line. */
function distanceTo(points: Float32Array, x: number, y: number): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (let k = 0; k + 3 < points.length; k += 2) {
    const [x0, y0] = [points[k] as number, points[k + 1] as number];
    const [dx, dy] = [(points[k + 2] as number) - x0, (points[k + 3] as number) - y0];
    const share = Math.min(Math.max(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1), 0), 1);
    nearest = Math.min(nearest, Math.hypot(x - x0 - share * dx, y - y0 - share * dy));
  }
  return nearest;
}
