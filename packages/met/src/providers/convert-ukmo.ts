import { HOUR_MS, SECOND_MS } from '@contrails/runtime';
import {
  specificHumidityOfRelativeHumidity,
  verticalVelocityOfGeometric,
  windComponents,
} from '../convert/fields.ts';
import type { Wants } from '../sync/provider.ts';
import { writeConverted } from './converted-file.ts';
import { openField, type StoredField } from './stored-field.ts';

export type UkmoField = 'temperature' | 'humidity' | 'speed' | 'direction' | 'height';

export interface UkmoJob {
  readonly kind: 'ukmo';
  /** Local files by what they hold. */
  readonly files: Readonly<Record<UkmoField, string>> & {
    /** Geometric vertical velocity, where it may be on the levels. */
    readonly vertical?: string;
  };
  readonly runMs: number;
  readonly step: number;
  readonly levels: readonly number[];
  readonly bbox?: NonNullable<Wants['bbox']>;
  readonly output: string;
}

/** A step of the Met Office: humidity from that over water, wind from speed and direction. */
export async function convertUkmo({ files, runMs, step, levels, bbox, output }: UkmoJob): Promise<void> {
  const open = (path: string) => openField(path, bbox, 3);
  const temperature = open(files.temperature);
  const humidity = open(files.humidity);
  const [speed, direction, height] = [open(files.speed), open(files.direction), open(files.height)];
  const upward = files.vertical === undefined ? undefined : open(files.vertical);
  const all = [temperature, humidity, speed, direction, height, ...(upward === undefined ? [] : [upward])];
  for (const field of all) {
    requireTimes(field, runMs, step);
    requireGrid(field, temperature);
  }
  const percent = percentOf(humidity);
  const indexOf = (field: StoredField, level: number) =>
    field.levels('pressure').findIndex((one) => Math.abs(one - (levels[level] as number)) < 0.01);
  const hasUpward = upward !== undefined && levels.every((_, level) => indexOf(upward, level) >= 0);
  const layer = (field: StoredField, level: number) => {
    const index = indexOf(field, level);
    if (index < 0) throw new RangeError(`${field.name} has no level of ${levels[level]} hPa`);
    return field.read([index]);
  };
  const omega = (field: StoredField, level: number) => {
    const pressure = (levels[level] as number) * 100;
    const air = layer(temperature, level);
    return verticalVelocityOfGeometric(layer(field, level), air, new Float32Array(air.length).fill(pressure));
  };
  await writeConverted(output, {
    runMs,
    timesMs: [runMs + step * HOUR_MS],
    levels,
    latitudes: temperature.latitudes,
    longitudes: temperature.longitudes,
    variables: [
      { name: 't', unit: 'K', field: (_, level) => layer(temperature, level) },
      {
        name: 'q',
        unit: 'kg kg-1',
        field: (_, level) =>
          specificHumidityOfRelativeHumidity(
            layer(humidity, level).map((value) => value / percent),
            layer(temperature, level),
            (levels[level] as number) * 100,
          ),
      },
      {
        name: 'u',
        unit: 'm s-1',
        field: (_, level) => windComponents(layer(speed, level), layer(direction, level)).eastward,
      },
      {
        name: 'v',
        unit: 'm s-1',
        field: (_, level) => windComponents(layer(speed, level), layer(direction, level)).northward,
      },
      { name: 'gh', unit: 'm', field: (_, level) => layer(height, level) },
      ...(hasUpward
        ? [{ name: 'w', unit: 'Pa s-1', field: (_: number, level: number) => omega(upward, level) }]
        : []),
    ],
  });
  for (const field of all) field.close();
}

/** Times in the file must be those of its name. */
function requireTimes(field: StoredField, runMs: number, step: number): void {
  const [start] = field.times('forecast_reference_time');
  const [time] = field.times('time');
  const [period = Number.NaN] = field.numbers('forecast_period');
  const isOfStep = [1, HOUR_MS / SECOND_MS].some((perHour) => period === step * perHour);
  if (start === runMs && time === runMs + step * HOUR_MS && isOfStep) return;
  throw new RangeError(`${field.name} is of another run or step than its name says`);
}

/** Fields are combined point by point. */
function requireGrid(field: StoredField, { latitudes, longitudes }: StoredField): void {
  const isSame = (one: Float64Array, other: Float64Array) =>
    one.length === other.length && one.every((value, i) => value === other[i]);
  if (isSame(field.latitudes, latitudes) && isSame(field.longitudes, longitudes)) return;
  throw new RangeError(`${field.name} is on another grid than temperature`);
}

function percentOf({ unit }: StoredField): number {
  if (unit === '1') return 1;
  if (unit === '%') return 100;
  throw new RangeError(`relative humidity has the unit ${unit || 'of no name'}; 1 and % are read`);
}
