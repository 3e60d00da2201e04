/** Potential vorticity of a field at points: computed at the grid points around them, then interpolated as any variable. */
import {
  type DerivativeWeights,
  derivativeWeights,
  potentialTemperature1000,
  potentialVorticityPvu,
} from '@contrails/physics/climate';
import { degreesToRadians } from '@contrails/physics/common';
import { cellOf, weightOf } from '../field/axis.ts';
import type { FieldValues, MetField } from '../field/field.ts';
import type { SamplePoints } from './interpolate.ts';
import { WEATHER_VARIABLES } from './weather.ts';

/** Derivatives at the ends of an axis have three grid points. */
const MIN_KNOTS = 3;

const TEMPERATURE = WEATHER_VARIABLES.indexOf('air_temperature');
const EASTWARD = WEATHER_VARIABLES.indexOf('eastward_wind');
const NORTHWARD = WEATHER_VARIABLES.indexOf('northward_wind');

export type PotentialVorticity = (out: Float64Array, points: SamplePoints, count: number) => void;

/**
 * [PVU] of a field of weather. Derivatives are one-sided at the ends of its axes: it has to reach one grid point beyond those
 * around the points, unless the source ends there. NaN outside, and everywhere on fewer than three levels, rows or columns.
 */
export function potentialVorticityOf(field: MetField): PotentialVorticity {
  const { longitude, latitude, level, time, slabs } = field;
  if ([latitude, level].some(({ knots }) => knots.length < MIN_KNOTS)) return unknown;
  const columns = longitudeStencils(field);
  if (columns === undefined) return unknown;
  const vorticity = nodeVorticity(field, columns);
  // Of the cell of the point before: minutes of a flight share cells.
  const corners = new Float64Array(16);
  return (out, points, count) => {
    let [cellI, cellJ, cellK, cellL, known] = [-1, -1, -1, -1, 0];
    for (let p = 0; p < count; p++) {
      const i = cellOf(longitude, points.longitude[p] as number);
      const j = cellOf(latitude, points.latitude[p] as number);
      const k = cellOf(level, points.level[p] as number);
      const l = cellOf(time, points.timeMs[p] as number);
      if (i < 0 || j < 0 || k < 0 || l < 0) {
        out[p] = Number.NaN;
        continue;
      }
      if (i !== cellI || j !== cellJ || k !== cellK || l !== cellL) {
        [cellI, cellJ, cellK, cellL, known] = [i, j, k, l, 0];
      }
      const east = weightOf(longitude.knots, i, points.longitude[p] as number);
      const north = weightOf(latitude.knots, j, points.latitude[p] as number);
      const down = weightOf(level.knots, k, points.level[p] as number);
      const late = weightOf(time.knots, l, points.timeMs[p] as number);
      let sum = 0;
      for (let corner = 0; corner < 16; corner++) {
        const [di, dj, dk, dl] = [corner & 1, (corner >> 1) & 1, (corner >> 2) & 1, corner >> 3];
        const weight =
          (di === 1 ? east : 1 - east) *
          (dj === 1 ? north : 1 - north) *
          (dk === 1 ? down : 1 - down) *
          (dl === 1 ? late : 1 - late);
        if (weight === 0) continue;
        if ((known & (1 << corner)) === 0) {
          corners[corner] = vorticity(slabs[l + dl] as FieldValues, i + di, j + dj, k + dk);
          known |= 1 << corner;
        }
        sum += weight * (corners[corner] as number);
      }
      out[p] = sum;
    }
  };
}

const unknown: PotentialVorticity = (out, _, count) => void out.fill(Number.NaN, 0, count);

/** At a grid point; a pole has the mean of the row beside it. */
function nodeVorticity(
  { longitude, latitude, level, variables }: MetField,
  columns: readonly (DerivativeWeights | undefined)[],
): (slab: FieldValues, i: number, j: number, k: number) => number {
  const phi = Float64Array.from(latitude.knots, degreesToRadians);
  const isPole = Array.from(latitude.knots, (degrees) => Math.abs(degrees) === 90);
  const cosine = phi.map((angle, j) => (isPole[j] ? 0 : Math.cos(angle)));
  const pressure = level.knots.map((hpa) => 100 * hpa);
  const heat = pressure.map((pa) => potentialTemperature1000(1, pa));
  const rows = Array.from(phi, (_, j) => derivativeWeights(phi, j));
  const layers = Array.from(pressure, (_, k) => derivativeWeights(pressure, k));
  const meridians = distinctMeridians(longitude.knots, columns);
  const stride = variables.length;
  const column = level.knots.length * stride;
  const row = longitude.knots.length * column;
  const poles = new Map<FieldValues, Map<number, number>>();

  const inside = (slab: FieldValues, i: number, j: number, k: number): number => {
    const around = columns[i];
    if (around === undefined) return Number.NaN;
    const { nodes: is, weights: wi } = around;
    const { nodes: js, weights: wj } = rows[j] as DerivativeWeights;
    const { nodes: ks, weights: wk } = layers[k] as DerivativeWeights;
    let [dvdLambda, dTdLambda, dUCosPhi, dTdPhi, dThetaDp, dudp, dvdp] = [0, 0, 0, 0, 0, 0, 0];
    for (let n = 0; n < MIN_KNOTS; n++) {
      const alongRow = j * row + (is[n] as number) * column + k * stride;
      dvdLambda += (wi[n] as number) * (slab[alongRow + NORTHWARD] as number);
      dTdLambda += (wi[n] as number) * (slab[alongRow + TEMPERATURE] as number);
      const alongColumn = (js[n] as number) * row + i * column + k * stride;
      dUCosPhi +=
        (wj[n] as number) * (slab[alongColumn + EASTWARD] as number) * (cosine[js[n] as number] as number);
      dTdPhi += (wj[n] as number) * (slab[alongColumn + TEMPERATURE] as number);
      const down = j * row + i * column + (ks[n] as number) * stride;
      dThetaDp +=
        (wk[n] as number) * (slab[down + TEMPERATURE] as number) * (heat[ks[n] as number] as number);
      dudp += (wk[n] as number) * (slab[down + EASTWARD] as number);
      dvdp += (wk[n] as number) * (slab[down + NORTHWARD] as number);
    }
    const warmth = heat[k] as number;
    return potentialVorticityPvu(phi[j] as number, {
      dvdLambda,
      dUCosPhi,
      dThetaDLambda: warmth * dTdLambda,
      dThetaDPhi: warmth * dTdPhi,
      dThetaDp,
      dudp,
      dvdp,
    });
  };

  const atPole = (slab: FieldValues, j: number, k: number): number => {
    const known = poles.get(slab) ?? new Map<number, number>();
    poles.set(slab, known);
    const key = j * level.knots.length + k;
    const beside = j === 0 ? 1 : j - 1;
    const mean =
      known.get(key) ?? meridians.reduce((sum, i) => sum + inside(slab, i, beside, k), 0) / meridians.length;
    known.set(key, mean);
    return mean;
  };

  return (slab, i, j, k) => (isPole[j] ? atPole(slab, j, k) : inside(slab, i, j, k));
}

/** Columns that are not repetitions of others beyond the antimeridian. */
function distinctMeridians(
  knots: Float64Array,
  columns: readonly (DerivativeWeights | undefined)[],
): number[] {
  const seen = new Set<number>();
  return Array.from(knots.keys()).filter((i) => {
    const key = meridianKey(knots[i] as number);
    if (columns[i] === undefined || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Meridians closer than this are the same [°]. */
const MERIDIAN_DEG = 1e-4;
const CIRCLE_KEYS = Math.round(360 / MERIDIAN_DEG);

const meridianKey = (degrees: number): number =>
  (Math.round(degrees / MERIDIAN_DEG) + 2 * CIRCLE_KEYS) % CIRCLE_KEYS;

/**
 * For each column of a field the columns that its derivative is made of, undefined where nothing is stored. A circle that is
 * closed has no ends; the field of a region, or of a window, has one at each side of what is not stored.
 */
function longitudeStencils(field: MetField): (DerivativeWeights | undefined)[] | undefined {
  const { knots } = field.longitude;
  const stored = Array.from(knots.keys()).filter((i) => !isEmpty(field, i));
  // The first column of each meridian, in the order of longitudes from −180 on.
  const first = new Map<number, number>();
  for (const i of stored) {
    const key = meridianKey(knots[i] as number);
    if (!first.has(key)) first.set(key, i);
  }
  const ring = [...first.values()].sort((a, b) => turned(knots, a) - turned(knots, b));
  if (ring.length < MIN_KNOTS) return undefined;
  const isWhole = stored.length === knots.length;
  const closes = (knots.at(-1) as number) - (knots[0] as number) >= 360 - MERIDIAN_DEG;
  const chain = isWhole ? ring : afterGap(knots, ring);
  const degrees = unrolled(knots, chain);
  const at = new Map(chain.map((i, index) => [meridianKey(knots[i] as number), index]));
  return Array.from(knots, (knot, i) => {
    const index = at.get(meridianKey(knot));
    if (index === undefined || isEmpty(field, i)) return undefined;
    return closes && isWhole ? onRing(chain, degrees, index) : onChain(chain, degrees, index);
  });
}

const turned = (knots: Float64Array, i: number): number => {
  const degrees = knots[i] as number;
  return degrees >= 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;
};

/** The ring, begun after its widest gap, in which nothing is stored. */
function afterGap(knots: Float64Array, ring: readonly number[]): number[] {
  let widest = -1;
  let start = 0;
  ring.forEach((i, index) => {
    const before = ring.at(index - 1) as number;
    const gap = turned(knots, i) - turned(knots, before) + (index === 0 ? 360 : 0);
    if (gap <= widest) return;
    widest = gap;
    start = index;
  });
  return [...ring.slice(start), ...ring.slice(0, start)];
}

/** Longitudes of a chain [°], increasing beyond 180°: their differences are the same however they are turned. */
function unrolled(knots: Float64Array, chain: readonly number[]): Float64Array {
  let turns = 0;
  return Float64Array.from(chain, (i, index) => {
    const before = index === 0 ? Number.NEGATIVE_INFINITY : turned(knots, chain[index - 1] as number);
    if (turned(knots, i) < before) turns += 360;
    return turned(knots, i) + turns;
  });
}

function onChain(chain: readonly number[], degrees: Float64Array, index: number): DerivativeWeights {
  const { nodes, weights } = derivativeWeights(degrees, index);
  return {
    nodes: [chain[nodes[0]] as number, chain[nodes[1]] as number, chain[nodes[2]] as number],
    weights: perRadian(weights),
  };
}

function onRing(chain: readonly number[], degrees: Float64Array, index: number): DerivativeWeights {
  const count = chain.length;
  const around = [index - 1, index, index + 1] as const;
  const degree = (at: number) => (degrees[(at + count) % count] as number) + 360 * Math.floor(at / count);
  const { weights } = derivativeWeights(around.map(degree), 1);
  const column = (at: number) => chain[(at + count) % count] as number;
  return { nodes: [column(around[0]), column(around[1]), column(around[2])], weights: perRadian(weights) };
}

const DEGREES_PER_RADIAN = 180 / Math.PI;

function perRadian([first, second, third]: DerivativeWeights['weights']): DerivativeWeights['weights'] {
  return [DEGREES_PER_RADIAN * first, DEGREES_PER_RADIAN * second, DEGREES_PER_RADIAN * third];
}

/** Whether nothing is stored under a meridian: it lies between the ends of a region or window. */
function isEmpty({ longitude, latitude, level, variables, slabs }: MetField, i: number): boolean {
  const slab = slabs[0] as FieldValues;
  const column = level.knots.length * variables.length;
  for (let j = 0; j < latitude.knots.length; j++) {
    const base = (j * longitude.knots.length + i) * column;
    for (let k = 0; k < level.knots.length; k++) {
      if (!Number.isNaN(slab[base + k * variables.length + TEMPERATURE])) return false;
    }
  }
  return true;
}
