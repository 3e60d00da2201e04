import { HOUR_MS } from '@contrails/runtime';
import { specificHumidityOfRelativeHumidity, windComponents } from '../convert/fields.ts';
import type { Wants } from '../sync/provider.ts';
import { writeConverted } from './converted-file.ts';
import { openField, type StoredField } from './stored-field.ts';

export interface UkmoJob {
  readonly kind: 'ukmo';
  /** Local files by what they hold. */
  readonly files: Readonly<Record<'temperature' | 'humidity' | 'speed' | 'direction' | 'height', string>>;
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
  const all = [temperature, humidity, speed, direction, height];
  for (const field of all) requireTimes(field, runMs, step);
  const percent = percentOf(humidity);
  const layer = (field: StoredField, level: number) => {
    const held = field.levels('pressure');
    const index = held.findIndex((one) => Math.abs(one - (levels[level] as number)) < 0.01);
    if (index < 0) throw new RangeError(`${field.name} has no level of ${levels[level]} hPa`);
    return field.read([index]);
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
    ],
  });
  for (const field of all) field.close();
}

/** Times in the file must be those of its name. */
function requireTimes(field: StoredField, runMs: number, step: number): void {
  const [start] = field.times('forecast_reference_time');
  const [time] = field.times('time');
  if (start === runMs && time === runMs + step * HOUR_MS) return;
  throw new RangeError(`${field.name} is of another run or step than its name says`);
}

function percentOf({ unit }: StoredField): number {
  if (unit === '1') return 1;
  if (unit === '%') return 100;
  throw new RangeError(`relative humidity has the unit ${unit || 'of no name'}; 1 and % are read`);
}
