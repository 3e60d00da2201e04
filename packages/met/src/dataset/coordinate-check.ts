import type { FieldAxes } from '../field/field.ts';

/** What coordinates of weather can be [°, °, hPa or numbers of model levels, ms since 1970]. */
const POSSIBLE: Readonly<Record<keyof FieldAxes, readonly [low: number, high: number]>> = {
  longitude: [-360, 720],
  latitude: [-90, 90],
  level: [Number.MIN_VALUE, 2000],
  time: [Date.UTC(1900, 0), Date.UTC(2101, 0)],
};

/** Longer axes are those of damaged files: finer than a globe has pixels from space. */
const MAX_HORIZONTAL = 100_000;

const AXES = Object.keys(POSSIBLE) as (keyof FieldAxes)[];

/** Why axes of a file, or the start of its forecast, cannot be right; undefined where they can. */
export function wrongCoordinates(axes: FieldAxes, referenceTime?: number): string | undefined {
  for (const axis of AXES) {
    const [low, high] = POSSIBLE[axis];
    const values = axes[axis];
    if (values.length > MAX_HORIZONTAL && axis !== 'time')
      return `has ${values.length} values along the ${axis} axis; ${MAX_HORIZONTAL} are the limit`;
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      if (value >= low && value <= high) continue;
      return `has the ${axis} ${shown(axis, value)} at index ${i}; possible are ${shown(axis, low)} to ${shown(axis, high)}`;
    }
  }
  const [first, last] = POSSIBLE.time;
  if (referenceTime !== undefined && !(referenceTime >= first && referenceTime <= last))
    return `has a forecast that starts at ${shown('time', referenceTime)}; possible are ${shown('time', first)} to ${shown('time', last)}`;
  const { latitude, longitude } = axes;
  if (!isInRadians(latitude, Math.PI / 2) || !isInRadians(longitude, 2 * Math.PI)) return undefined;
  return `has latitudes from ${latitude[0]} to ${latitude[latitude.length - 1]}, which are radians; convert latitudes and longitudes to degrees`;
}

function shown(axis: keyof FieldAxes, value: number): string {
  if (axis !== 'time') return value === Number.MIN_VALUE ? 'above 0' : String(value);
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? `${value} ms since 1970` : date.toISOString();
}

/** Even steps of regular grids are round numbers of degrees. In radians they are not, but become so as degrees. */
function isInRadians(values: ArrayLike<number>, max: number): boolean {
  if (values.length < 3) return false;
  const first = values[0] as number;
  const last = values[values.length - 1] as number;
  const step = Math.abs(last - first) / (values.length - 1);
  const isSmall = Math.max(Math.abs(first), Math.abs(last)) <= max * (1 + 1e-6);
  return isSmall && !isRound(step) && isRound((step * 180) / Math.PI);
}

/** A multiple of a thousandth of a degree, as exactly as single precision has it. */
function isRound(degrees: number): boolean {
  const thousandths = degrees * 1000;
  return thousandths >= 1 && Math.abs(thousandths - Math.round(thousandths)) < 1e-5 * thousandths + 1e-4;
}
