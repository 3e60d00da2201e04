import { type FileHandle, open } from 'node:fs/promises';
import { modelLevelHpa } from '@contrails/physics/atmosphere';
import { wrongCoordinates } from '../../dataset/coordinate-check.ts';
import type { IndexEntry } from '../../dataset/dataset-index.ts';
import type { Contents } from '../../dataset/description.ts';
import { type FileStamp, requireUnchanged } from '../../dataset/file-stamp.ts';
import { inFile } from '../../dataset/in-file.ts';
import { isModelLevel, LOG_SURFACE_PRESSURE, type UnusableEntry } from '../../dataset/layout.ts';
import { readAt } from '../../dataset/read-at.ts';
import { MetError } from '../../errors.ts';
import type { RadiationUnit } from '../../source.ts';
import { findVariable } from '../../variables.ts';
import { type LatLonGrid, readGrid } from './grid-definition.ts';
import { type Product, readProduct } from './product.ts';
import { type FieldSections, fieldsOf, type ReadBytes, type Section } from './sections.ts';

/** One field of a file: a variable at one time and, where it has levels, on one of them. */
export interface GribField extends IndexEntry {
  readonly file: FileStamp;
  readonly sections: FieldSections;
  readonly product: Product;
  /** The same object for every field on the same grid. */
  readonly grid: LatLonGrid;
}

/** The first sections of a message are shorter than this together, so one read finds them. */
const READ_AHEAD = 1024;

export interface IndexOptions {
  /** The start of a forecast counts, not the valid time alone. */
  readonly asForecast: boolean;
  /** Grids seen so far, by their definition: thousands of fields share one. */
  readonly grids: Map<string, LatLonGrid>;
}

/** The fields of a file that the models use, found without reading their values. */
export async function indexFile(file: FileStamp, options: IndexOptions): Promise<Contents<GribField>> {
  const handle = await open(file.path, 'r');
  try {
    const contents = await inFile(file.path, () => indexFields(file, readAhead(handle), options));
    requireUnchanged(file);
    return contents;
  } finally {
    await handle.close();
  }
}

async function indexFields(
  file: FileStamp,
  read: ReadBytes,
  { grids, asForecast }: IndexOptions,
): Promise<Contents<GribField>> {
  const entries: GribField[] = [];
  const unusable: UnusableEntry[] = [];
  const bytesOf = ({ offset, length }: Section) => read(offset, length);
  for await (const sections of fieldsOf(read, file.size)) {
    const product = readProduct(
      sections.discipline,
      await bytesOf(sections.identification),
      await bytesOf(sections.product),
    );
    if (product === undefined) continue;
    const definition = await bytesOf(sections.grid);
    const key = Buffer.from(definition).toString('latin1');
    try {
      requireModelLevel(product);
      const grid = grids.get(key) ?? readGrid(definition);
      grids.set(key, grid);
      const field = fieldOf(file, sections, product, grid, asForecast);
      const wrong = wrongCoordinates(field.axes, field.referenceTime);
      if (wrong === undefined) entries.push(field);
      else unusable.push(unusableEntry(file, product, wrong));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      unusable.push(unusableEntry(file, product, `cannot be used: ${error.message}`));
    }
  }
  return { entries, unusable };
}

function fieldOf(
  file: FileStamp,
  sections: FieldSections,
  product: Product,
  grid: LatLonGrid,
  asForecast: boolean,
): GribField {
  const levelType = levelTypeOf(product);
  return {
    file,
    sections,
    product,
    grid,
    variable: product.variable,
    axes: {
      longitude: grid.longitudes,
      latitude: grid.latitudes,
      level: levelType === 'none' ? new Float64Array(0) : Float64Array.of(product.level),
      time: Float64Array.of(product.timeMs),
    },
    levelType,
    ...radiationUnit(product),
    ...(product.statistic === undefined ? {} : { intervalStart: product.intervalStartMs }),
    ...(asForecast ? { referenceTime: product.referenceTimeMs } : {}),
  };
}

function levelTypeOf({ levelKind, variable }: Product): GribField['levelType'] {
  if (levelKind === 'isobaric') return 'pressure';
  // The archive files the logarithm of surface pressure under the topmost model level.
  return levelKind === 'hybrid' && variable !== LOG_SURFACE_PRESSURE ? 'model' : 'none';
}

const REFERENCE_PA = 101_325;
/** What coefficients in single precision may differ by [hPa]. */
const TOLERANCE_HPA = 0.01;

/** Levels of other models have other pressures under the same numbers. */
function requireModelLevel({ levelKind, level, coefficients, variable }: Product): void {
  if (levelKind !== 'hybrid' || variable === LOG_SURFACE_PRESSURE) return;
  const half = (k: number) =>
    (coefficients?.[k] as number) + (coefficients?.[138 + k] as number) * REFERENCE_PA;
  const hpa = (half(level - 1) + half(level)) / 200;
  const isKnown =
    coefficients?.length === 276 &&
    isModelLevel(level) &&
    Math.abs(hpa - modelLevelHpa(level, REFERENCE_PA)) < TOLERANCE_HPA;
  if (isKnown) return;
  throw new RangeError('of model levels only the 137 of ECMWF are read, with their coefficients in the file');
}

/** A flux summed over time is an energy. */
function radiationUnit({ variable, statistic }: Product): { radiationUnit?: RadiationUnit } {
  if (findVariable(variable)?.units['W m-2'] === undefined) return {};
  return { radiationUnit: statistic === 'accumulation' ? 'J m-2' : 'W m-2' };
}

function unusableEntry(file: FileStamp, { variable }: Product, why: string): UnusableEntry {
  const reason = new MetError('unreadable', `${variable} of ${file.path} ${why}`, {
    path: file.path,
    variable,
  });
  return { file, variable, reason };
}

/** Reads a little more than requested, because the next sections follow at once. */
function readAhead(handle: FileHandle): ReadBytes {
  let start = 0;
  let held = new Uint8Array(0);
  return async (offset, length) => {
    if (offset < start || offset + length > start + held.length) {
      held = await readAt(handle, offset, Math.max(length, READ_AHEAD));
      start = offset;
    }
    return held.subarray(offset - start, offset - start + length);
  };
}
