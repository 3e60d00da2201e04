/** Numbers that shaders of grids read: of each step, and of the map and the model. */
import { destinationLatitude, destinationLongitude } from '../../geodesy/sphere.ts';
import { finite } from '../../vector/wgsl/math.ts';
import type { CellSegment } from '../grid.ts';
import type { CocipParams } from '../params.ts';
import { setOptions, setRadiationPair, setSource, setTime } from '../vector/index.ts';
import { PARAMETER_COUNT, parametersInto } from '../vector/parameters.ts';
import { levelStride } from './arrangement.ts';
import {
  type Axis,
  type GpuField,
  type GpuRadiation,
  type GpuWeather,
  isSameMap,
  radiationsOf,
} from './weather.ts';
import { LAYOUT_FIELDS, type LayoutField } from './weather-text.ts';

/** Steps between two neighbouring times of the weather and of the radiation. */
export interface StepGroup {
  readonly first: number;
  readonly end: number;
  readonly weather: number;
  readonly radiation: { readonly field: GpuField; readonly cell: number } | undefined;
}

/**
 * Numbers of formation and of all steps that the weather reaches, and which of them share their times of weather: formation comes
 * first, by itself. Nothing where contrails would form outside the weather.
 */
export function stepsOf(
  formationTimeMs: number,
  { levels, radiation }: GpuWeather,
  source: Parameters<typeof setSource>[0],
  params: CocipParams,
): { numbers: Float32Array; groups: readonly StepGroup[] } {
  const dtMs = params.dtIntegrationS * 1000;
  const lastMs = Math.floor(formationTimeMs / dtMs) * dtMs + params.maxAgeS * 1000;
  setOptions(params);
  setSource(source);
  setRadiationPair(radiation?.pair ?? 'net');
  const numbers: number[] = [];
  const groups: StepGroup[] = [];
  const row = new Float32Array(PARAMETER_COUNT);
  let fromMs = formationTimeMs;
  for (let [step, toMs] = [0, formationTimeMs]; toMs <= lastMs; step++) {
    const weather = cellOf(levels.time.knots, toMs);
    if (weather < 0) break;
    const shining = radiationAt(radiation, toMs);
    setTime(toMs);
    parametersInto(row, 0, formationTimeMs);
    numbers.push(
      ...row,
      fromMs - formationTimeMs,
      weightOf(levels.time.knots, weather, toMs),
      shining === undefined ? 0 : weightOf(shining.field.time.knots, shining.cell, toMs),
    );
    const last = groups.at(-1);
    const continues =
      step > 1 &&
      last !== undefined &&
      last.weather === weather &&
      last.radiation?.field === shining?.field &&
      last.radiation?.cell === shining?.cell;
    if (continues) groups[groups.length - 1] = { ...last, end: step + 1 };
    else groups.push({ first: step, end: step + 1, weather, radiation: shining });
    fromMs = toMs;
    toMs = (Math.floor(toMs / dtMs) + 1) * dtMs;
  }
  return { numbers: Float32Array.from(numbers), groups };
}

/** The field that shines at a time: the first that has not ended. */
function radiationAt(radiation: GpuRadiation | undefined, timeMs: number): StepGroup['radiation'] {
  const found = radiationsOf(radiation)
    .map(({ field }) => ({ field, cell: cellOf(field.time.knots, timeMs) }))
    .find(
      ({ field, cell }, k, all) =>
        cell >= 0 || k === all.length - 1 || timeMs <= (field.time.knots.at(-1) as number),
    );
  return found !== undefined && found.cell >= 0 ? found : undefined;
}

/** The largest i ≤ n − 2 with knots[i] ≤ x; −1 outside. */
function cellOf(knots: Float64Array, x: number): number {
  const last = knots.length - 1;
  if (!(x >= (knots[0] as number) && x <= (knots[last] as number))) return -1;
  let cell = 0;
  while (cell < last - 1 && (knots[cell + 1] as number) <= x) cell++;
  return cell;
}

function weightOf(knots: Float64Array, cell: number, x: number): number {
  if (knots.length === 1) return 0;
  const low = knots[cell] as number;
  return (x - low) / ((knots[cell + 1] as number) - low);
}

type CellField = 'capacity' | 'levels_at' | 'cells_at' | 'cell_columns' | 'cell_rows' | 'cell_levels';

/** The uniform that all dispatches share. */
export function layoutOf(
  { levels, radiation, levelRange }: GpuWeather,
  segment: CellSegment,
  params: CocipParams,
  cells: Pick<Record<LayoutField, number>, CellField>,
): Float32Array {
  const ends = ({ knots }: Axis) => [knots[0] as number, knots.at(-1) as number] as const;
  const map = radiation?.field ?? levels;
  const lengthM = segment.kind === 'free' ? 1 : segment.lengthM;
  const values: Record<LayoutField, number> = {
    west: ends(levels.longitude)[0],
    east: ends(levels.longitude)[1],
    per_longitude: levels.longitude.perUnit,
    longitudes: levels.longitude.knots.length,
    south: ends(levels.latitude)[0],
    north: ends(levels.latitude)[1],
    per_latitude: levels.latitude.perUnit,
    latitudes: levels.latitude.knots.length,
    levels: levels.level.knots.length,
    level_stride: levelStride(levels),
    top: levelRange[0],
    bottom: levelRange[1],
    radiation_west: ends(map.longitude)[0],
    radiation_east: ends(map.longitude)[1],
    radiation_per_longitude: map.longitude.perUnit,
    radiation_longitudes: map.longitude.knots.length,
    radiation_south: ends(map.latitude)[0],
    radiation_north: ends(map.latitude)[1],
    radiation_per_latitude: map.latitude.perUnit,
    radiation_latitudes: map.latitude.knots.length,
    flux_per_unit: radiation?.fluxPerUnit ?? 1,
    shares_map: isSameMap(levels, map) ? 1 : 0,
    shear_share: segment.kind === 'free' ? segment.normalShearShare : 0,
    lead_m: lengthM / 2,
    per_metre: 1 / lengthM,
    max_length: params.maxSegLengthM ?? Number.POSITIVE_INFINITY,
    step_s: params.dtIntegrationS,
    // Quotients of times are off by some units of the last digit.
    max_age: params.maxAgeS + params.dtIntegrationS / 1000,
    min_tau: params.minTau,
    max_tau: params.maxTau,
    min_particles: params.minNIcePerM3,
    max_particles: params.maxNIcePerM3,
    min_altitude: params.minAltitudeM ?? Number.NEGATIVE_INFINITY,
    max_altitude: params.maxAltitudeM ?? Number.POSITIVE_INFINITY,
    ...cells,
  };
  const layout = new Float32Array(4 * Math.ceil(LAYOUT_FIELDS.length / 4));
  const integers = new Uint32Array(layout.buffer);
  LAYOUT_FIELDS.forEach(([name, type], k) => {
    if (type === 'u32') integers[k] = values[name];
    else layout[k] = finite(values[name]);
  });
  return layout;
}

/** For each latitude how far the head and the tail of a segment are from its middle [°], east and north. */
export function endsOf(segment: CellSegment, latitude: Float64Array): Float64Array {
  if (segment.kind === 'free') return new Float64Array(0);
  const { azimuthDeg, lengthM } = segment;
  return Float64Array.from(
    Array.from(latitude, (lat) =>
      [lengthM / 2, -lengthM / 2].flatMap((distanceM) => [
        destinationLongitude(0, lat, azimuthDeg, distanceM),
        destinationLatitude(lat, azimuthDeg, distanceM) - lat,
      ]),
    ).flat(),
  );
}
