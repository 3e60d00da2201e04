/**
 * Regions of a weather source as the public benchmark makes them: temperature and humidity on the pressure of the level in whole
 * hPa, linear in the logarithm of pressure, on cells of a quarter of a degree; then humidity over ice and the criterion of formation.
 */
import { type Met, MetError, openGridRows } from '@contrails/met';
import { JET_A1 } from '@contrails/physics/emissions';
import { sacLevel } from '@contrails/physics/formation';
import { pressureOf } from '../grid/layout.ts';
import { type ChosenScaling, scaleHumidityBy } from '../weather/humidity-scaling.ts';
import type { ShardName } from './observations.ts';
import { MISSING, SCORED_GRID, type Shard } from './score.ts';

export interface WeatherForecast {
  /** The best one for the time unless given. */
  readonly source?: string | undefined;
  /** The run [ms since 1970]; the usual one unless given. */
  readonly referenceTimeMs?: number | undefined;
  readonly scaling: ChosenScaling;
}

const ENGINE_EFFICIENCY = 0.3;
const BAND_HPA = 60;

/** The region of a time and level; undefined where the source does not have it. */
export async function readWeather(
  met: Met,
  { source, referenceTimeMs, scaling }: WeatherForecast,
  { timeMs, flightLevel }: ShardName,
): Promise<Omit<Shard, 'observed'> | undefined> {
  const levelHpa = Math.round(pressureOf(flightLevel));
  const weather = await met
    .openWeather({
      ...{ for: 'formation', time: [timeMs, timeMs], level: [levelHpa, levelHpa] },
      ...{ latitude: [-80, 80], longitude: [-180, 180], margin: { levelHpa: BAND_HPA } },
      ...(source === undefined ? {} : { source }),
      ...(referenceTimeMs === undefined ? {} : { referenceTime: referenceTimeMs }),
    })
    .catch((error: unknown) => {
      // A missing hour is not scored. An unknown source is a separate error.
      if (error instanceof MetError && error.kind !== 'unknown-source') return undefined;
      throw error;
    });
  if (weather === undefined) return undefined;
  try {
    const { rhi, sac } = planesOf(weather.levels, levelHpa, timeMs, scaling);
    return {
      timeMs,
      regionAbove(threshold = 1) {
        const region = new Uint8Array(rhi.length);
        for (let cell = 0; cell < region.length; cell++) {
          if (Number.isNaN(rhi[cell])) region[cell] = MISSING;
          else if ((rhi[cell] as number) > threshold && sac[cell] === 1) region[cell] = 1;
        }
        return region;
      },
    };
  } finally {
    weather.release();
  }
}

type Levels = Parameters<typeof openGridRows>[0];

function planesOf(field: Levels, levelHpa: number, timeMs: number, scaling: ChosenScaling) {
  const { columns, rows, step, west, south } = SCORED_GRID;
  // Cells of a finer grid are averaged; on a coarser one the middle of the cell is their mean.
  const parts = Math.max(1, Math.round(step / spacingOf(field.longitude.knots)));
  const offset = (k: number) => ((k + 0.5) / parts - 0.5) * step;
  const count = columns * parts;
  const longitude = Float64Array.from(
    { length: count },
    (_, i) => west + step * Math.floor(i / parts) + offset(i % parts),
  );
  const knots = Array.from(field.level.knots);
  const upper = Math.max(
    knots.findLastIndex((knot) => knot <= levelHpa),
    0,
  );
  const lower = Math.min(knots[upper] === levelHpa ? upper : upper + 1, knots.length - 1);
  const [top, bottom] = [knots[upper] as number, knots[lower] as number];
  const share = bottom > top ? Math.log(levelHpa / top) / Math.log(bottom / top) : 0;
  const read = openGridRows(field, longitude, timeMs);
  const column = () => new Float64Array(count);
  const [rhi, sac] = [new Float32Array(columns * rows), new Uint8Array(columns * rows)];
  const sums = [top, bottom].map((knot) => {
    read.toLevel(knot);
    const [temperature, humidity] = [new Float64Array(columns * rows), new Float64Array(columns * rows)];
    const [t, q] = [column(), column()];
    for (let row = 0; row < rows; row++) {
      for (let part = 0; part < parts; part++) {
        read.sampleInto(t, q, Math.min(Math.max(south + step * row + offset(part), -90), 90));
        for (let i = 0; i < count; i++) {
          const cell = Math.floor(i / parts) * rows + row;
          temperature[cell] = (temperature[cell] as number) + (t[i] as number) / (parts * parts);
          humidity[cell] = (humidity[cell] as number) + (q[i] as number) / (parts * parts);
        }
      }
    }
    return { temperature, humidity };
  });
  const [above, below] = sums as [(typeof sums)[0], (typeof sums)[0]];
  const mixed = (name: 'temperature' | 'humidity') =>
    above[name].map((value, cell) => value + share * ((below[name][cell] as number) - value));
  const [temperature, humidity] = [mixed('temperature'), mixed('humidity')];
  const pressurePa = 100 * levelHpa;
  const scale = scaleHumidityBy(scaling);
  const criterion = sacLevel({ pressurePa, engineEfficiency: ENGINE_EFFICIENCY, fuel: JET_A1 });
  const latitudes = Float64Array.from({ length: rows }, (_, row) => south + step * row);
  const pressures = new Float64Array(rows).fill(pressurePa);
  const [rhiRow, sacRow] = [new Float64Array(rows), new Float64Array(rows)];
  for (let i = 0; i < columns; i++) {
    const [from, to] = [i * rows, (i + 1) * rows];
    const [t, q] = [temperature.subarray(from, to), humidity.subarray(from, to)];
    scale(q, rhiRow, t, pressures, latitudes, rows);
    criterion(sacRow, q, t);
    for (let row = 0; row < rows; row++) {
      rhi[from + row] = rhiRow[row] as number;
      sac[from + row] = sacRow[row] === 1 ? 1 : 0;
    }
  }
  return { rhi, sac };
}

const spacingOf = (knots: ArrayLike<number>) => (knots[1] as number) - (knots[0] as number);
