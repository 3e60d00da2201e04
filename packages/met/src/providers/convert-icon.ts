import { readFileSync } from 'node:fs';
import { HOUR_MS, SECOND_MS } from '@contrails/runtime';
import { bunzip2 } from '@contrails/runtime/bunzip2';
import { modelToPressureLevels, verticalVelocityOfGeometric } from '../convert/fields.ts';
import { decodeMessage, type GribMessage } from '../sources/grib/message.ts';
import type { Wants } from '../sync/provider.ts';
import { type ConvertedVariable, writeConverted } from './converted-file.ts';
import { nothingBetween } from './stored-field.ts';

export interface IconJob {
  readonly kind: 'icon-eu';
  /** Local files, by variable and level; those without levels as level 0. */
  readonly files: Readonly<Record<string, Readonly<Record<number, string>>>>;
  readonly runMs: number;
  readonly step: number;
  /** Full levels of the model, from the highest down. */
  readonly layers: readonly number[];
  /** [hPa] */
  readonly levels: readonly number[];
  readonly bbox?: NonNullable<Wants['bbox']>;
  readonly output: string;
}

const ON_LEVELS = [
  { name: 't', from: 't', unit: 'K' },
  { name: 'q', from: 'qv', unit: 'kg kg-1' },
  { name: 'ciwc', from: 'qi', unit: 'kg kg-1' },
  { name: 'u', from: 'u', unit: 'm s-1' },
  { name: 'v', from: 'v', unit: 'm s-1' },
] as const;

/** Discipline, category and number (code table 4.2). */
const CODES: Readonly<Record<string, string>> = {
  t: '0.0.0',
  qv: '0.1.0',
  qi: '0.1.82',
  u: '0.2.2',
  v: '0.2.3',
  w: '0.2.9',
  p: '0.3.0',
  asob_t: '0.4.9',
  athb_t: '0.5.5',
};
/** Code table 4.5. */
const MODEL_LEVEL = 150;

/** A step of ICON-EU: layers of the model to pressure levels, means since the start to sums. */
export async function convertIcon(job: IconJob): Promise<void> {
  const { files, runMs, step, layers, levels, output } = job;
  const cut = await cutOf(job);
  const fieldsOf = async (variable: string, numbers: readonly number[]) => {
    const fields: Float32Array[] = [];
    for (const number of numbers) fields.push(await readField(files, variable, number, job, cut));
    return fields;
  };
  const pressure = await fieldsOf('p', layers);
  const onLevels = new Map<string, readonly Float32Array[]>();
  const bring = (name: string, fields: readonly Float32Array[]) =>
    onLevels.set(name, modelToPressureLevels(pressure, { [name]: fields }, levels)[name] ?? []);
  for (const { name, from } of ON_LEVELS) bring(name, await fieldsOf(from, layers));
  const omega: Float32Array[] = [];
  for (const [k, layer] of layers.entries()) {
    const upper = await readField(files, 'w', layer, job, cut);
    const hasLower = files.w?.[layer + 1] !== undefined;
    const lower = hasLower ? await readField(files, 'w', layer + 1, job, cut) : upper;
    const w = upper.map((value, i) => (value + (lower[i] as number)) / 2);
    const temperature = await readField(files, 't', layer, job, cut);
    omega.push(verticalVelocityOfGeometric(w, temperature, pressure[k] as Float32Array));
  }
  bring('w', omega);
  const sums = new Map<string, Float32Array>();
  for (const [name, from] of [
    ['tsr', 'asob_t'],
    ['ttr', 'athb_t'],
  ] as const) {
    const mean = await readField(files, from, 0, job, cut);
    sums.set(
      name,
      mean.map((value) => (step === 0 ? 0 : (value * step * HOUR_MS) / SECOND_MS)),
    );
  }
  const variables: ConvertedVariable[] = [...ON_LEVELS, { name: 'w', unit: 'Pa s-1' } as const].map(
    ({ name, unit }) => ({
      name,
      unit,
      field: (_, level) => onLevels.get(name)?.[level] ?? new Float32Array(),
    }),
  );
  const common = {
    runMs,
    timesMs: [runMs + step * HOUR_MS],
    latitudes: cut.latitudes,
    longitudes: cut.longitudes,
  };
  await writeConverted(output, {
    ...common,
    levels,
    variables,
    withoutLevels: [...sums].map(([name, values]) => ({ name, unit: 'J m-2', field: () => values })),
  });
}

interface Cut {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
  readonly width: number;
}

/** The part of the grid that is kept, with a point more on each side. */
async function cutOf({ files, layers, bbox }: IconJob): Promise<Cut> {
  const { grid } = await readMessage(files, 'p', layers[0] ?? 0);
  const { latitudes, longitudes, longitudeStride, latitudeStride } = grid;
  if (longitudeStride !== 1 || latitudeStride !== longitudes.length) {
    throw new RangeError('the grid is not stored row by row');
  }
  const turned = longitudes.map((degrees) => (degrees > 180 ? degrees - 360 : degrees));
  const within = (values: Float64Array, low: number, high: number) => {
    const inside = [...values.keys()].filter(
      (i) => (values[i] as number) >= low && (values[i] as number) <= high,
    );
    if (inside.length === 0) throw nothingBetween(low, high);
    const [first = 0, last = 0] = [inside[0], inside.at(-1)];
    return [...values.keys()].slice(Math.max(first - 1, 0), last + 2);
  };
  const [west, south, east, north] = bbox ?? [-180, -90, 180, 90];
  const [rows, columns] = [within(latitudes, south, north), within(turned, west, east)];
  return {
    rows,
    columns,
    latitudes: Float64Array.from(rows, (i) => latitudes[i] as number),
    longitudes: Float64Array.from(columns, (i) => turned[i] as number),
    width: longitudes.length,
  };
}

async function readField(
  files: IconJob['files'],
  variable: string,
  level: number,
  { runMs, step }: Pick<IconJob, 'runMs' | 'step'>,
  { rows, columns, width }: Cut,
): Promise<Float32Array> {
  const message = await readMessage(files, variable, level);
  requireSame(message, variable, level, runMs, runMs + step * HOUR_MS);
  const { values } = message;
  const cut = new Float32Array(rows.length * columns.length);
  rows.forEach((row, j) => {
    columns.forEach((column, i) => {
      cut[j * columns.length + i] = values[row * width + column] as number;
    });
  });
  return cut;
}

/** A file must hold what its name says. */
function requireSame(message: GribMessage, variable: string, level: number, runMs: number, timeMs: number) {
  const { code, levelType, statistic } = message;
  const isVariable = [code.discipline, code.category, code.number].join('.') === CODES[variable];
  const isLevel = level === 0 || (levelType === MODEL_LEVEL && message.level === level);
  if (!isVariable || !isLevel)
    throw new RangeError(`${variable} of level ${level} is another field than its name says`);
  if (message.referenceTimeMs !== runMs || message.timeMs !== timeMs)
    throw new RangeError(`${variable} of level ${level} is of another run or step than its name says`);
  const isSinceStart = statistic === 'mean' && message.intervalStartMs === runMs;
  if (level === 0 && timeMs > runMs && !isSinceStart)
    throw new RangeError(`${variable} is not a mean since the start of the run`);
}

async function readMessage(files: IconJob['files'], variable: string, level: number): Promise<GribMessage> {
  const path = files[variable]?.[level];
  if (path === undefined) throw new RangeError(`there is no ${variable} of level ${level}`);
  return decodeMessage(bunzip2(readFileSync(path)));
}
