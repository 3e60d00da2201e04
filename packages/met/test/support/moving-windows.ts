/**
 * The moving windows of the field's reference implementation, which never interpolates in a whole field but in an index
 * box cut around its points. A service has no use for them; comparisons with the reference do.
 */
import type { PlumeTable, Weather, WeatherPlan } from '@contrails/physics/cocip';
import { fillCirrus } from '../../src/field/cirrus.ts';
import { allocateField, type FieldValues, type MetField, offsetOf } from '../../src/field/field.ts';
import type { RadiationField } from '../../src/interpolate/radiation-sampler.ts';
import { weatherOf } from '../../src/interpolate/weather.ts';

export interface WindowBuffers {
  /** Margins below and above the points: [°, °, hPa]. */
  readonly longitude: readonly [number, number];
  readonly latitude: readonly [number, number];
  readonly level: readonly [number, number];
}

export const DEFAULT_WINDOW_BUFFERS: WindowBuffers = {
  longitude: [10, 10],
  latitude: [10, 10],
  level: [40, 40],
};

/** Points a window is to hold; NaN counts for nothing. */
export interface WindowPoints {
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly level: Float64Array;
  readonly timeMs: Float64Array;
}

/** First index and length of the box of one axis around [low, high] with margins. */
export function windowOfAxis(
  knots: ArrayLike<number>,
  low: number,
  high: number,
  margins: readonly [number, number],
): readonly [first: number, length: number] {
  const n = knots.length;
  if (n <= 2 || Number.isNaN(low)) return [0, n];
  let notAbove = 0;
  let below = 0;
  for (let i = 0; i < n; i++) {
    if ((knots[i] as number) <= low - margins[0]) notAbove++;
    if ((knots[i] as number) < high + margins[1]) below++;
  }
  const first = Math.min(n - 2, Math.max(notAbove - 1, 0));
  return [first, Math.min(n, Math.max(below + 1, 2)) - first];
}

/** Whether the optical depth of cirrus is summed over the whole column or in each window separately. */
export type CirrusExtent = 'full-column' | 'after-downselect';

/** A plan that cuts its windows as the reference does, from fields that hold everything. */
export function movingWindows(
  levels: MetField,
  radiation: RadiationField,
  waypoints: WindowPoints,
  buffers: WindowBuffers,
  cirrus: CirrusExtent,
): WeatherPlan {
  const cut = (field: MetField, box: IndexBox): MetField => {
    const window = cutField(field, box);
    if (cirrus === 'after-downselect' && field === levels) fillCirrus(window);
    return window;
  };
  const flightBox = boxAround(
    levels,
    [waypoints],
    { longitude: [0, 0], latitude: [0, 0], level: [0, buffers.level[1]] },
    [0, 0],
  );
  let young: WindowPoints;
  let levelWindow: MetField;
  let radiationWindow: MetField;
  let weather: Weather;
  const refresh = () => {
    weather = weatherOf(levelWindow, { ...radiation, field: radiationWindow });
    return weather;
  };
  return {
    formation: weatherOf(cut(levels, flightBox), radiation),
    evolution(plumes, count) {
      const points = firstRows(plumes, count);
      young = flightLevelsOf(points, plumes, waypoints);
      levelWindow = cut(levels, boxAround(levels, [points], buffers, [0, 0]));
      radiationWindow = cut(radiation.field, boxAround(radiation.field, [points], buffers, [0, 0]));
      return refresh();
    },
    step(toMs, plumes, count) {
      const active = firstRows(plumes, count);
      const renew = (whole: MetField, window: MetField): MetField => {
        if (toMs <= lastKnot(window)) return window;
        const upTo = whole.time.knots.find((time) => time >= toMs) ?? toMs;
        const request = [active, between(young, toMs, upTo)];
        const latest = extremes(request, 'timeMs')[1];
        return cut(whole, boxAround(whole, request, buffers, [0, Math.max(0, toMs - latest)]));
      };
      levelWindow = renew(levels, levelWindow);
      radiationWindow = renew(radiation.field, radiationWindow);
      return refresh();
    },
  };
}

/** First index and length of a part of each axis. */
export interface IndexBox {
  readonly longitude: readonly [number, number];
  readonly latitude: readonly [number, number];
  readonly level: readonly [number, number];
  readonly time: readonly [number, number];
}

function boxAround(
  field: MetField,
  points: readonly WindowPoints[],
  buffers: WindowBuffers,
  timeMargins: readonly [number, number],
): IndexBox {
  const axis = (name: 'longitude' | 'latitude' | 'level', margins: readonly [number, number]) =>
    windowOfAxis(field[name].knots, ...extremes(points, name), margins);
  return {
    longitude: axis('longitude', buffers.longitude),
    latitude: axis('latitude', buffers.latitude),
    level: field.level.knots.length === 1 ? [0, 1] : axis('level', buffers.level),
    time: windowOfAxis(field.time.knots, ...extremes(points, 'timeMs'), timeMargins),
  };
}

function extremes(points: readonly WindowPoints[], name: keyof WindowPoints): [low: number, high: number] {
  let low = Number.NaN;
  let high = Number.NaN;
  for (const set of points) {
    for (const value of set[name]) {
      if (Number.isNaN(value)) continue;
      if (!(low <= value)) low = value;
      if (!(high >= value)) high = value;
    }
  }
  return [low, high];
}

function firstRows(plumes: PlumeTable, count: number): WindowPoints {
  return {
    longitude: plumes.longitude.slice(0, count),
    latitude: plumes.latitude.slice(0, count),
    level: plumes.level.slice(0, count),
    timeMs: plumes.timeMs.slice(0, count),
  };
}

/** Young contrails count at the level of their flight, not at the lowered one, when a window is renewed. */
function flightLevelsOf(points: WindowPoints, plumes: PlumeTable, waypoints: WindowPoints): WindowPoints {
  const level = new Float64Array(points.level.length);
  const rowOf = new Map<string, number>();
  waypoints.timeMs.forEach((timeMs, row) => {
    rowOf.set(`${timeMs} ${waypoints.longitude[row]} ${waypoints.latitude[row]}`, row);
  });
  for (let i = 0; i < level.length; i++) {
    const row = rowOf.get(`${plumes.timeMs[i]} ${plumes.longitude[i]} ${plumes.latitude[i]}`);
    level[i] = row === undefined ? Number.NaN : (waypoints.level[row] as number);
  }
  return { ...points, level };
}

function between(points: WindowPoints, fromMs: number, toMs: number): WindowPoints {
  const inside = (_: number, i: number) =>
    (points.timeMs[i] as number) >= fromMs && (points.timeMs[i] as number) <= toMs;
  return {
    longitude: points.longitude.filter(inside),
    latitude: points.latitude.filter(inside),
    level: points.level.filter(inside),
    timeMs: points.timeMs.filter(inside),
  };
}

function lastKnot(field: MetField): number {
  return field.time.knots[field.time.knots.length - 1] as number;
}

function cutField(field: MetField, box: IndexBox): MetField {
  const part = (knots: Float64Array, [first, length]: readonly [number, number]) =>
    knots.slice(first, first + length);
  const window = allocateField(
    field.variables,
    {
      longitude: part(field.longitude.knots, box.longitude),
      latitude: part(field.latitude.knots, box.latitude),
      level: part(field.level.knots, box.level),
      time: part(field.time.knots, box.time),
    },
    field.slabs[0] instanceof Float64Array ? 'float64' : 'float32',
  );
  const columnLength = box.level[1] * field.variables.length;
  window.slabs.forEach((slab, l) => {
    const source = field.slabs[box.time[0] + l] as FieldValues;
    for (let j = 0; j < box.latitude[1]; j++) {
      for (let i = 0; i < box.longitude[1]; i++) {
        const from = offsetOf(field, box.longitude[0] + i, box.latitude[0] + j, box.level[0], 0);
        slab.set(source.subarray(from, from + columnLength), offsetOf(window, i, j, 0, 0));
      }
    }
  });
  return window;
}
