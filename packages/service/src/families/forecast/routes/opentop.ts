/** Contrail costs as a table for route optimisers: `format=opentop`, Parquet with every combination of time, height and cell. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Compute, kernelAt } from '@contrails/engine/compute';
import { EF_PER_M } from '@contrails/engine/grid/cocip-attributes';
import type { BoundingBox } from '@contrails/engine/grid/layout';
import type { GridTreatment } from '@contrails/engine/grid/treatment';
import { ParquetWriter } from '@contrails/formats';
import type { File } from '@contrails/platform/http/files';
import { readParts } from '@contrails/platform/products/read';
import { HOUR_MS, isoSecond, makeTemporaryFolder } from '@contrails/runtime';
import { ValidationError } from '@contrails/runtime/errors';
import { choice } from '@contrails/runtime/options/choice';
import { byDefault, optional } from '@contrails/runtime/options/parameter';
import { time } from '@contrails/runtime/options/time';
import { type FoundLevel, findLevels } from '../../../forecast-products/find-levels.ts';
import { chunkOf, withoutLost } from '../../../forecast-products/lost.ts';
import { productNotFound } from '../../../forecast-products/not-found.ts';
import { type CutOptions, hoursAround, readAround, shared, wholeGrid } from './cut.ts';
import { type ForecastProducts, publishedFile } from './grids.ts';
import { OPENTOP_COLUMNS, type OpentopLevel } from './opentop.kernel.ts';

const kernel = kernelAt<typeof import('./opentop.kernel.ts').default>(
  new URL('./opentop.kernel.ts', import.meta.url),
);

/** Parameters that only this format has. */
export const opentopParameters = {
  from: optional(time('With format=opentop: the first hour, in place of `time`.')),
  to: optional(time('With format=opentop: the last hour, at most 24 after the first.')),
  fill: optional(
    choice(
      ['0'],
      'With format=opentop: the cost of cells without data in the grid; without it, such cells are refused.',
    ),
  ),
};

/** `time` of all formats but one. */
export const timeUnlessOpentop = (description: string) =>
  optional(time(`${description} Required unless format is opentop.`));

export const withOpentop = <Format extends string>(
  formats: readonly [Format, ...Format[]],
  description: string,
) => {
  const [first, ...others] = formats;
  const all: readonly [Format | 'opentop', ...(Format | 'opentop')[]] = [first, ...others, 'opentop'];
  return byDefault<Format | 'opentop'>(choice(all, description), first);
};

interface GivenTimes {
  readonly format: string;
  readonly time: number | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly fill: '0' | undefined;
  readonly bbox: BoundingBox | undefined;
}

/** What is asked for: the hours of an export, or else the time of a grid. */
export function hoursAsked(given: GivenTimes): { readonly timeMs: number } | OpentopHours {
  const { format, time: timeMs, from, to, fill, bbox } = given;
  const errors: string[][] = [];
  if (format !== 'opentop') {
    for (const [name, value] of Object.entries({ from, to, fill }))
      if (value !== undefined) errors.push([name, `${name} is for format=opentop; leave it out`]);
    if (timeMs === undefined) errors.push(['time', 'time is missing; give the hour, such as 2024-02-29T06']);
    if (timeMs !== undefined && errors.length === 0) return { timeMs };
  } else {
    if (timeMs !== undefined) errors.push(['time', 'time is for other formats; give from and to']);
    if (bbox === undefined) errors.push(['bbox', 'bbox is missing; format=opentop needs a box']);
    for (const [name, value] of Object.entries({ from, to }))
      if (value === undefined || value % HOUR_MS !== 0)
        errors.push([name, `${name} is missing or not a whole hour; give one such as 2024-02-29T06`]);
    const hours = ((to ?? 0) - (from ?? 0)) / HOUR_MS;
    if (errors.length === 0 && !(hours >= 0 && hours <= MAX_HOURS))
      errors.push(['to', `to is ${hours} hours after from; give 0 to ${MAX_HOURS}`]);
    if (errors.length === 0 && from !== undefined && to !== undefined && bbox !== undefined)
      return { fromMs: from, toMs: to, bbox, fillsMissing: fill === '0' };
  }
  throw new ValidationError(
    errors.map(([name = '', msg = '']) => ({ loc: ['query', name], msg, type: 'value_error' })),
  );
}

const MAX_HOURS = 24;
const MAX_ROWS = 20e6;

export interface OpentopHours {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bbox: BoundingBox;
  /** Whether cells that the grid does not know count 0. */
  readonly fillsMissing: boolean;
}

export interface OpentopQuery extends OpentopHours {
  readonly kind: string;
  /** Of the product, in words. */
  readonly what: string;
  readonly flightLevels: readonly number[];
  readonly referenceTimeMs?: number | undefined;
  readonly forecastsOnly?: boolean;
  readonly treatment: GridTreatment;
}

type OpentopServices = ForecastProducts & { readonly compute: Pick<Compute, 'parallel'> };

export async function opentopFile(
  services: OpentopServices,
  query: OpentopQuery,
  options: CutOptions,
): Promise<File> {
  return withoutLost(services, async () => {
    const hours = await storedHours(services, query);
    requireRows(hours, query);
    const folder = await makeTemporaryFolder('opentop');
    try {
      const path = join(folder.path, 'costs.parquet');
      const writer = await ParquetWriter.create(path, OPENTOP_COLUMNS);
      let missing = 0;
      try {
        for (const levels of hours) {
          for (const level of await encodeHour(services, query, levels, options)) {
            missing += level.missing;
            await writer.append(level.group);
          }
        }
      } catch (error) {
        await writer.abandon();
        throw error;
      }
      await writer.finish();
      if (missing > 0 && !query.fillsMissing) throw unknownCells(missing);
      return publishedFile([await readFile(path)], hours.flat());
    } finally {
      await folder.remove();
    }
  });
}

/** The levels of every hour, all of one run. */
async function storedHours(services: OpentopServices, query: OpentopQuery): Promise<FoundLevel[][]> {
  const { fromMs, toMs, kind, what, flightLevels, forecastsOnly } = query;
  const hours: FoundLevel[][] = [];
  let { referenceTimeMs } = query;
  for (let validTimeMs = fromMs; validTimeMs <= toMs; validTimeMs += HOUR_MS) {
    const asked = { kind, validTimeMs, flightLevels, referenceTimeMs };
    const levels = await findLevels(services.database, {
      ...asked,
      ...(forecastsOnly === undefined ? {} : { forecastsOnly }),
    });
    if (levels === undefined) throw await productNotFound(services, { ...asked, what });
    // A table has one weather.
    referenceTimeMs ??= levels[0]?.product.referenceTimeMs ?? undefined;
    hours.push(levels);
  }
  return hours;
}

function requireRows(hours: readonly (readonly FoundLevel[])[], { bbox }: OpentopQuery): void {
  const rows = hours.reduce((sum, levels) => {
    const { longitude, latitude } = wholeGrid(levels, bbox).cells;
    return sum + levels.length * longitude.length * latitude.length;
  }, 0);
  if (rows <= MAX_ROWS) return;
  const msg = `${hours.length} hours of this box and these levels are ${rows} rows; at most ${MAX_ROWS} are written: ask for fewer hours, levels or cells`;
  throw new ValidationError([{ loc: ['query', 'bbox'], msg, type: 'value_error' }]);
}

function unknownCells(missing: number): ValidationError {
  const msg = `${missing} cells have no value, and unknown is not free of contrails; give fill=0 to count them so, or another box or other levels`;
  return new ValidationError([{ loc: ['query', 'fill'], msg, type: 'value_error' }]);
}

async function encodeHour(
  { store, database, compute }: OpentopServices,
  { bbox, kind, treatment, fromMs }: OpentopQuery,
  levels: readonly FoundLevel[],
  { signal, onComputeMs }: CutOptions,
): Promise<OpentopLevel[]> {
  const { cells, storedRows, axes } = wholeGrid(levels, bbox);
  const stored = await readParts(store, levels, (level) => [chunkOf(level, EF_PER_M.name)]);
  const around = await hoursAround(database, levels, treatment.neighbourhoodHours, { kind });
  const others = await readAround(store, around, EF_PER_M.name);
  const planes = levels.map(({ flightLevel }, k) => ({
    packed: shared(stored[k]?.[0] as Uint8Array),
    others: (others[k] ?? []).map(shared),
    flightLevel,
  }));
  const timeMs = levels[0]?.product.validTimeMs ?? fromMs;
  const input = { planes, storedRows, cells, treatment: { of: treatment, axes }, timeMs, fromMs };
  return compute.parallel(kernel, input, planes.length, { signal, ...(onComputeMs && { onComputeMs }) });
}

/** `cost_default_20240229T060000Z.parquet` */
export function opentopName(product: string, fromMs: number): string {
  return `cost_${product}_${isoSecond(fromMs).replace(/[-:]/g, '')}.parquet`;
}
