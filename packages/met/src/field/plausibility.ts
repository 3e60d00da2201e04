/** Whether values can be what their variable claims to be. */
import { findVariable } from '../variables.ts';
import { type MetField, pointCount } from './field.ts';
import { isCircle } from './regions.ts';

/** What is wrong with the values of one variable, and what to do about it. */
export interface ValueFinding {
  readonly variable: string;
  /** `fail`: they cannot be right; `warn`: they are doubtful. */
  readonly state: 'warn' | 'fail';
  readonly message: string;
  readonly remedy: string;
}

export interface Extremes {
  readonly lowest: number;
  readonly highest: number;
}

/** Fields of up to so many points are checked whole, of larger ones every so many columns: a wrong unit shows in each. */
const MAX_WHOLE_POINTS = 100_000;
const SAMPLE_STEP = 8;

/** What is wrong with the values of a field that was read. Plain data: a thread sends them. */
export function findingsOfField(field: MetField): ValueFinding[] {
  const step = pointCount(field) > MAX_WHOLE_POINTS ? SAMPLE_STEP : 1;
  const extremes = extremesOf(field, step);
  return [
    ...field.variables.flatMap((variable, v) => rangeFinding(variable, extremes[v] as Extremes) ?? []),
    ...swappedWinds(field, step),
  ];
}

/** The lowest and highest value of each variable in every `step`th column; one without values has lowest > highest. */
export function extremesOf({ variables, level, slabs }: MetField, step = 1): Extremes[] {
  const stride = variables.length;
  const columnLength = stride * level.knots.length;
  const lowest = new Float64Array(stride).fill(Number.POSITIVE_INFINITY);
  const highest = new Float64Array(stride).fill(Number.NEGATIVE_INFINITY);
  for (const slab of slabs) {
    for (let from = 0; from < slab.length; from += step * columnLength) {
      const to = from + columnLength;
      for (let v = 0; v < stride; v++) {
        let low = lowest[v] as number;
        let high = highest[v] as number;
        for (let at = from + v; at < to; at += stride) {
          const value = slab[at] as number;
          if (value < low) low = value;
          if (value > high) high = value;
        }
        lowest[v] = low;
        highest[v] = high;
      }
    }
  }
  return variables.map((_, v) => ({ lowest: lowest[v] as number, highest: highest[v] as number }));
}

/** Nothing is wrong with a variable that has no values at all: they are unknown. */
export function rangeFinding(variable: string, { lowest, highest }: Extremes): ValueFinding | undefined {
  const { plausible, unit, isPositive } = findVariable(variable) ?? {};
  if (plausible === undefined || lowest > highest) return undefined;
  const remedy = `check the unit of ${variable} in the files, and how it is packed (scale_factor, add_offset, _FillValue)`;
  const range = `${variable} ranges from ${shown(lowest)} to ${shown(highest)} ${unit}`;
  if (lowest < plausible[0] || highest > plausible[1]) {
    const message = `${range}, plausible are ${plausible[0]} to ${plausible[1]}`;
    return { variable, state: 'fail', message, remedy };
  }
  if (isPositive !== true || highest > 0) return undefined;
  const message = highest < 0 ? `${range}, all of it negative` : `${variable} is 0 everywhere`;
  return { variable, state: highest < 0 || lowest < 0 ? 'fail' : 'warn', message, remedy };
}

/** Jet streams are strongest near this level [hPa], and no level further away than this shows them. */
export const JET_HPA = 250;
const JET_REACH_HPA = 100;
/** Around the globe air that moves along the meridians returns: means of a parallel stay below 6 m/s, those of a jet do not [m/s]. */
const MAX_MEAN_MERIDIONAL = 12;

/** Jet streams along the meridians: the two components of wind are swapped. Only a whole parallel shows it. */
function swappedWinds(field: MetField, step: number): ValueFinding[] {
  const { variables, longitude, latitude, level, slabs } = field;
  const [u, v] = ['eastward_wind', 'northward_wind'].map((name) => variables.indexOf(name));
  const [first = 0] = longitude.knots;
  if (u === undefined || v === undefined || u < 0 || v < 0) return [];
  if (!isCircle([first, longitude.knots.at(-1) ?? first])) return [];
  const k = nearestTo(JET_HPA, level.knots);
  if (!(Math.abs((level.knots[k] as number) - JET_HPA) <= JET_REACH_HPA)) return [];
  const columns = longitude.knots.length;
  const columnLength = level.knots.length * variables.length;
  let [eastward, northward] = [0, 0];
  for (const slab of slabs) {
    for (let j = 0; j < latitude.knots.length; j++) {
      let [sumEast, sumNorth] = [0, 0];
      for (let i = 0; i < columns; i += step) {
        const at = (j * columns + i) * columnLength + k * variables.length;
        sumEast += slab[at + u] as number;
        sumNorth += slab[at + v] as number;
      }
      const count = Math.ceil(columns / step);
      eastward = Math.max(eastward, Math.abs(sumEast / count) || 0);
      northward = Math.max(northward, Math.abs(sumNorth / count) || 0);
    }
  }
  if (northward < MAX_MEAN_MERIDIONAL || northward < 2 * eastward) return [];
  return [
    {
      variable: 'northward_wind',
      state: 'warn',
      message: `northward_wind has means of up to ${shown(northward)} m/s along a parallel, eastward_wind of up to ${shown(eastward)} m/s: the two seem to be swapped`,
      remedy: 'check the names of the wind components in the files',
    },
  ];
}

function nearestTo(wanted: number, values: ArrayLike<number>): number {
  let best = 0;
  for (let k = 1; k < values.length; k++) {
    if (Math.abs((values[k] as number) - wanted) < Math.abs((values[best] as number) - wanted)) best = k;
  }
  return best;
}

const shown = (value: number): string => String(Number(value.toPrecision(4)));

/** A value that cannot be one of a variable; undefined where there is none. */
export function findImplausible(variable: string, values: Float32Array): number | undefined {
  const [low, high] = findVariable(variable)?.plausible ?? [
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < low || value > high) return value;
  }
  return undefined;
}
