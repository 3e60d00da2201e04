/** Pressure altitude of reports that have a geometric altitude only, from the heights of pressure levels in the weather. */
import type { PressureAltitude } from '@contrails/flights';
import { type Met, MetError, type MetField, sampleInto } from '@contrails/met';
import { altitudeFtFromLevel, geopotentialHeight } from '@contrails/physics/atmosphere';
import { feetToMetres, metresToFeet } from '@contrails/physics/common';
import { HOUR_MS, hourOf } from '@contrails/runtime';

/** Where a report without pressure altitude is. */
export interface ReportPosition {
  readonly longitude: number;
  readonly latitude: number;
  readonly timeMs: number;
}

const EARTH_RADIUS_M = 6_371_229;
const HEIGHT_VARIABLES = ['geopotential_height', 'geopotential'] as const;

/** Hour by hour, only the area of the positions is read: an aircraft flies less than 1,000 km in one. */
export async function openWeatherAltitude(
  met: Met,
  positions: readonly ReportPosition[],
  { allowsForecast, signal }: { readonly allowsForecast: boolean; readonly signal: AbortSignal },
): Promise<PressureAltitude> {
  const hours = new Map<number, ReportPosition[]>();
  for (const position of positions) {
    const hourMs = hourOf(position.timeMs);
    hours.set(hourMs, [...(hours.get(hourMs) ?? []), position]);
  }
  const columns = new Map<number, ColumnAt>();
  for (const [hourMs, list] of hours) {
    const field = await readHeights(met, hourMs, list, allowsForecast, signal);
    if (field !== undefined) columns.set(hourMs, columnReader(field));
  }
  return (longitude, latitude, timeMs, altitudeGnssFt) => {
    const column = columns.get(hourOf(timeMs))?.(longitude, latitude, timeMs);
    return column === undefined ? Number.NaN : pressureAltitudeFt(column, feetToMetres(altitudeGnssFt));
  };
}

async function readHeights(
  met: Met,
  hourMs: number,
  positions: readonly ReportPosition[],
  allowsForecast: boolean,
  signal: AbortSignal,
): Promise<MetField | undefined> {
  const ends = (values: readonly number[]): [number, number] => [Math.min(...values), Math.max(...values)];
  const [west, east] = ends(positions.map(({ longitude }) => longitude));
  // Both ends of the map: the way crosses the antimeridian.
  const longitude: [number, number] = east - west > 180 ? [-180, 180] : [west, east];
  const area = {
    time: [hourMs, hourMs + HOUR_MS],
    latitude: ends(positions.map(({ latitude }) => latitude)),
    longitude,
  } as const;
  try {
    const { source, description, run, coverage } = await met.catalogue.choose({
      ...area,
      for: 'formation',
      level: [200, 300],
      partial: true,
    });
    const isForecast = run.referenceTime !== undefined || description.type === 'forecast';
    const variable = HEIGHT_VARIABLES.find((name) => description.variables.includes(name));
    const isUsable = description.levelType === 'pressure' && coverage.time && (allowsForecast || !isForecast);
    if (variable === undefined || !isUsable) return undefined;
    const { levels } = description;
    return await source.read(
      {
        ...area,
        variables: [variable],
        level: [levels[0] ?? 0, levels.at(-1) ?? 0],
        ...(run.referenceTime === undefined ? {} : { referenceTime: run.referenceTime }),
      },
      { signal, description },
    );
  } catch (error) {
    if (error instanceof MetError && (error.kind === 'outside' || error.kind === 'changed')) return undefined;
    throw error;
  }
}

/** Pressure altitude [ft] and geopotential height [m] of the levels at a position, from the top down. */
interface Column {
  readonly altitudeFt: Float64Array;
  readonly heightM: Float64Array;
}

type ColumnAt = (longitude: number, latitude: number, timeMs: number) => Column;

function columnReader(field: MetField): ColumnAt {
  const level = field.level.knots;
  const altitudeFt = level.map(altitudeFtFromLevel);
  const heightM = new Float64Array(level.length);
  const isGeopotential = field.variables[0] === 'geopotential';
  return (longitude, latitude, timeMs) => {
    const all = (value: number) => new Float64Array(level.length).fill(value);
    const points = { longitude: all(longitude), latitude: all(latitude), timeMs: all(timeMs), level };
    sampleInto([heightM], field, 0, points, level.length);
    return { altitudeFt, heightM: isGeopotential ? heightM.map(geopotentialHeight) : heightM };
  };
}

/** Linear between levels; below the lowest one its difference holds on. */
function pressureAltitudeFt({ altitudeFt, heightM }: Column, geometricM: number): number {
  const targetM = (EARTH_RADIUS_M * geometricM) / (EARTH_RADIUS_M + geometricM);
  const last = heightM.length - 1;
  if (!(targetM <= (heightM[0] as number))) return Number.NaN;
  for (let k = 1; k <= last; k++) {
    const [above, below] = [heightM[k - 1] as number, heightM[k] as number];
    if (!(targetM >= below)) continue;
    const share = (targetM - below) / (above - below);
    return (altitudeFt[k] as number) + share * ((altitudeFt[k - 1] as number) - (altitudeFt[k] as number));
  }
  return (altitudeFt[last] as number) + metresToFeet(targetM - (heightM[last] as number));
}
