import { InputError } from '../errors.ts';
import { floorMod } from '../numerics/lerp.ts';

/**
 * Longitude [°] to subtract to make a track across the antimeridian continuous in [0, 360); undefined when it does not
 * cross. A track around the Earth has none and is an error.
 */
export function antimeridianShift(longitudeDeg: Float64Array): number | undefined {
  if (!isCrossing(longitudeDeg)) return undefined;
  const net = crossings(longitudeDeg);
  const max = extreme(net, Math.max);
  const min = extreme(net, Math.min);
  if (max - min > 1) {
    throw new InputError(
      'the track crosses the antimeridian twice in the same direction; cut it into two flights',
      { crossings: max - min },
    );
  }
  const eastNet = max === 1 ? 0 : -1;
  let eastMax = Number.NEGATIVE_INFINITY;
  let westMin = Number.POSITIVE_INFINITY;
  longitudeDeg.forEach((longitude, i) => {
    if (Number.isNaN(longitude)) return;
    if (net[i] === eastNet) eastMax = Math.max(eastMax, longitude);
    else westMin = Math.min(westMin, longitude);
  });
  if (eastMax >= westMin) {
    throw new InputError(
      `the parts of the track on both sides of the antimeridian overlap at ${westMin} to ${eastMax} degrees; ` +
        'cut it into two flights',
      { eastMax, westMin },
    );
  }
  return (eastMax + westMin) / 2;
}

/** Longitude [°] in the continuous frame of {@link antimeridianShift}. */
export function shiftLongitude(longitudeDeg: number, shiftDeg: number): number {
  return floorMod(longitudeDeg - shiftDeg, 360);
}

/** Back from the continuous frame to [−180, 180). */
export function unshiftLongitude(longitudeDeg: number, shiftDeg: number): number {
  return floorMod(longitudeDeg + shiftDeg + 180, 360) - 180;
}

/** Most tracks do not cross, and need nothing else. */
function isCrossing(longitudeDeg: Float64Array): boolean {
  for (let i = 1; i < longitudeDeg.length; i++) {
    const from = longitudeDeg[i - 1] as number;
    const to = longitudeDeg[i] as number;
    if ((from <= -90 && to >= 90) || (from >= 90 && to <= -90)) return true;
  }
  return false;
}

/** Westward less eastward crossings up to each waypoint: jumps between [−180, −90] and [90, 180]. */
function crossings(longitudeDeg: Float64Array): Int32Array {
  const net = new Int32Array(longitudeDeg.length);
  let count = 0;
  for (let i = 1; i < net.length; i++) {
    const from = longitudeDeg[i - 1] as number;
    const to = longitudeDeg[i] as number;
    if (from <= -90 && to >= 90) count++;
    if (from >= 90 && to <= -90) count--;
    net[i] = count;
  }
  return net;
}

function extreme(values: Int32Array, pick: (a: number, b: number) => number): number {
  return values.reduce((best, value) => pick(best, value), 0);
}
