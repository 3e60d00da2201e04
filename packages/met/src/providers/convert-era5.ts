import { DAY_MS, HOUR_MS, isoSecond } from '@contrails/runtime';
import type { Wants } from '../sync/provider.ts';
import { writeConverted } from './converted-file.ts';
import { startBefore } from './run-names.ts';
import { openField, type StoredField } from './stored-field.ts';

export interface Era5Job {
  readonly kind: 'era5';
  /** Local files of one variable; of sums over hours two where a day spans two of them. */
  readonly files: readonly string[];
  readonly dayMs: number;
  readonly variable: string;
  readonly unit: string;
  /** [hPa]; none for sums. */
  readonly levels: readonly number[];
  readonly bbox?: NonNullable<Wants['bbox']>;
  readonly output: string;
}

/** A day of one variable of ERA5 in the files of NCAR. */
export function convertEra5(job: Era5Job): Promise<void> {
  return job.levels.length > 0 ? convertLevels(job) : convertSums(job);
}

async function convertLevels({ files, dayMs, variable, unit, levels, bbox, output }: Era5Job): Promise<void> {
  const stored = openVariable(files[0] ?? '', variable, bbox);
  const times = [...stored.times('time')];
  const hours = Array.from({ length: DAY_MS / HOUR_MS }, (_, h) => dayMs + h * HOUR_MS);
  const hour = hours.find((ms) => !times.includes(ms));
  if (hour !== undefined) throw new RangeError(`${stored.name} has no ${isoSecond(hour)}`);
  const held = [...stored.levels('level')];
  const lacks = levels.filter((level) => !held.includes(level));
  if (lacks.length > 0) throw new RangeError(`${stored.name} has no level of ${lacks.join(', ')} hPa`);
  await writeConverted(output, {
    timesMs: hours,
    levels,
    latitudes: stored.latitudes,
    longitudes: stored.longitudes,
    variables: [
      {
        name: variable,
        unit,
        field: (time, level) =>
          stored.read([times.indexOf(hours[time] as number), held.indexOf(levels[level] as number)]),
      },
    ],
  });
  stored.close();
}

function openVariable(path: string, variable: string, bbox: Era5Job['bbox']): StoredField {
  const field = openField(path, bbox, 4);
  if (field.name.toLowerCase() === variable) return field;
  throw new RangeError(`there is ${field.name} instead of ${variable}`);
}

/** Forecasts that start at 06 and 18 UTC, each value the sum over the hour before. */
async function convertSums({ files, dayMs, variable, unit, bbox, output }: Era5Job): Promise<void> {
  const stored = files.map((path) => openVariable(path, variable, bbox));
  const hours = Array.from({ length: 26 }, (_, h) => dayMs + h * HOUR_MS);
  const places = hours.map((ms) => {
    const start = startBefore(ms);
    const lead = (ms - start) / HOUR_MS;
    for (const field of stored) {
      const [i, j] = [
        [...field.times('forecast_initial_time')].indexOf(start),
        [...field.numbers('forecast_hour')].indexOf(lead),
      ];
      if (i >= 0 && j >= 0) return { field, indices: [i, j] };
    }
    throw new RangeError(`${variable} has no forecast that starts at ${new Date(start).toISOString()}`);
  });
  const [first] = stored;
  await writeConverted(output, {
    timesMs: hours,
    levels: [],
    latitudes: first?.latitudes ?? [],
    longitudes: first?.longitudes ?? [],
    variables: [
      {
        name: variable,
        unit,
        field: (time) => places[time]?.field.read(places[time].indices) ?? new Float32Array(),
      },
    ],
  });
  for (const field of stored) field.close();
}
