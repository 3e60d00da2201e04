import { type FileHandle, open } from 'node:fs/promises';
import { MetError } from '../../errors.ts';
import type { RadiationUnit } from '../../source.ts';
import { findVariable } from '../../variables.ts';
import { type FileStamp, requireUnchanged } from '../file-stamp.ts';
import type { Contents } from '../netcdf/description.ts';
import type { HeldPart } from '../netcdf/holdings.ts';
import type { UnusablePart } from '../netcdf/layout.ts';
import { type LatLonGrid, readGrid } from './grid-definition.ts';
import { type Product, readProduct } from './product.ts';
import { type FieldSections, fieldsOf, type ReadBytes, type Section } from './sections.ts';

/** One field of a file: a variable at one time and, where it has levels, on one of them. */
export interface GribField extends HeldPart {
  readonly file: FileStamp;
  readonly sections: FieldSections;
  readonly product: Product;
  /** The same object for every field on the same grid. */
  readonly grid: LatLonGrid;
}

/** The first sections of a message are shorter than this together, so that one read finds them. */
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

/** Whatever a decoder finds wrong is an error of the file; the codec of JPEG 2000 throws errors of its own. */
export async function inFile<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof MetError) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new MetError('unreadable', `${path}: ${message}`, { path }, { cause });
  }
}

async function indexFields(
  file: FileStamp,
  read: ReadBytes,
  { grids, asForecast }: IndexOptions,
): Promise<Contents<GribField>> {
  const parts: GribField[] = [];
  const unusable: UnusablePart[] = [];
  const bytesOf = ({ offset, length }: Section) => read(offset, length);
  for await (const sections of fieldsOf(read, file.size)) {
    const product = readProduct(
      sections.discipline,
      await bytesOf(sections.identification),
      await bytesOf(sections.product),
    );
    if (product === undefined) continue;
    if (product.levelKind === 'hybrid') {
      unusable.push(unusablePart(file, product, 'lies on model levels; bring it to pressure levels first'));
      continue;
    }
    const definition = await bytesOf(sections.grid);
    const key = Buffer.from(definition).toString('latin1');
    try {
      const grid = grids.get(key) ?? readGrid(definition);
      grids.set(key, grid);
      parts.push(fieldOf(file, sections, product, grid, asForecast));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      unusable.push(unusablePart(file, product, `cannot be used: ${error.message}`));
    }
  }
  return { parts, unusable };
}

function fieldOf(
  file: FileStamp,
  sections: FieldSections,
  product: Product,
  grid: LatLonGrid,
  asForecast: boolean,
): GribField {
  const onLevels = product.levelKind === 'isobaric';
  return {
    file,
    sections,
    product,
    grid,
    variable: product.variable,
    axes: {
      longitude: grid.longitudes,
      latitude: grid.latitudes,
      level: onLevels ? Float64Array.of(product.level) : new Float64Array(0),
      time: Float64Array.of(product.timeMs),
    },
    levelType: onLevels ? 'pressure' : 'none',
    ...radiationUnit(product),
    ...(asForecast ? { referenceTime: product.referenceTimeMs } : {}),
  };
}

/** A flux summed over time is an energy. */
function radiationUnit({ variable, statistic }: Product): { radiationUnit?: RadiationUnit } {
  if (findVariable(variable)?.units['W m-2'] === undefined) return {};
  return { radiationUnit: statistic === 'accumulation' ? 'J m-2' : 'W m-2' };
}

function unusablePart(file: FileStamp, { variable }: Product, why: string): UnusablePart {
  const reason = new MetError('unreadable', `${variable} of ${file.path} ${why}`, {
    path: file.path,
    variable,
  });
  return { file, variable, reason };
}

/** Reads a little more than is asked for, because the next sections follow at once. */
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

/** Fewer bytes than asked for at the end of the file. */
export async function readAt(handle: FileHandle, offset: number, length: number) {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
