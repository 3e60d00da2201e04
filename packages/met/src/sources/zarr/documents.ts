import { atOnce } from '@contrails/runtime';
import { MetError } from '../../errors.ts';
import { VARIABLES } from '../../variables.ts';
import type { ObjectStore } from './object-store.ts';

/** The metadata of one array: documents by key, such as `/t/.zarray` and `/t/.zattrs`, or `/t/zarr.json`. */
export type ArrayDocuments = Readonly<Record<string, unknown>>;

export interface StoreDocuments {
  readonly version: 2 | 3;
  /** Of the group that holds the arrays. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly arrays: ReadonlyMap<string, ArrayDocuments>;
}

/** Names under which stores that cannot be listed may keep what the models use. */
const WEATHER_NAMES = VARIABLES.flatMap(({ name, aliases }) => [name, ...aliases]);
const COORDINATE_NAMES = ['forecast_reference_time', 'reference_time', 'time', 'valid_time', 'step'];

/** Objects requested at the same time. */
const CONCURRENCY = 16;

/** The metadata of all arrays at the top of a store: in one document where it is consolidated, else one by one. */
export async function readDocuments(objects: ObjectStore, name: string): Promise<StoreDocuments> {
  const { store, refusal } = forgiving(objects);
  const root = await readJson(store, '/zarr.json', name);
  if (root !== undefined) return version3(store, root, name);
  const consolidated = await readJson(store, '/.zmetadata', name);
  if (consolidated !== undefined) return consolidated2(consolidated);
  const group = await readJson(store, '/.zgroup', name);
  if (group === undefined) {
    throw refusal() ?? new MetError('unreadable', `there is no Zarr store at ${name}`, { path: name });
  }
  const arrays = await findArrays(store, (array) => documents2(store, array, name));
  return { version: 2, attributes: (await readJson(store, '/.zattrs', name)) ?? {}, arrays };
}

const FORBIDDEN = 403;

/**
 * Buckets that may be read but not listed return "forbidden" for what they do not hold. For a document that may be
 * there or not that means it is not, unless nothing is found at all.
 */
function forgiving(objects: ObjectStore): { store: ObjectStore; refusal(): MetError | undefined } {
  let refused: MetError | undefined;
  const get = async (key: string) => {
    try {
      return await objects.get(key);
    } catch (error) {
      if (!(error instanceof MetError) || error.facts.status !== FORBIDDEN) throw error;
      refused ??= error;
      return undefined;
    }
  };
  return { store: { ...objects, get }, refusal: () => refused };
}

/** Runs an action on each of many, as many at a time as a store likes to answer; the first error stops it. */
export function forEachOf<T>(items: readonly T[], action: (item: T) => Promise<void>): Promise<void> {
  return atOnce(CONCURRENCY, items, action);
}

async function version3(store: ObjectStore, root: Json, name: string): Promise<StoreDocuments> {
  const attributes = objectOf(root.attributes);
  const consolidated = objectOf(objectOf(root.consolidated_metadata).metadata);
  if (Object.keys(consolidated).length > 0) {
    const arrays = Object.entries(consolidated).filter(
      ([array, metadata]) => !array.includes('/') && objectOf(metadata).node_type === 'array',
    );
    return {
      version: 3,
      attributes,
      arrays: new Map(arrays.map(([array, metadata]) => [array, { [`/${array}/zarr.json`]: metadata }])),
    };
  }
  const arrays = await findArrays(store, async (array) => {
    const metadata = await readJson(store, `/${array}/zarr.json`, name);
    return metadata?.node_type === 'array' ? { [`/${array}/zarr.json`]: metadata } : undefined;
  });
  return { version: 3, attributes, arrays };
}

function consolidated2(document: Json): StoreDocuments {
  const metadata = objectOf(document.metadata);
  const arrays = new Map<string, ArrayDocuments>();
  for (const [key, value] of Object.entries(metadata)) {
    const [array = '', file, ...deeper] = key.split('/');
    if (file !== '.zarray' || deeper.length > 0) continue;
    arrays.set(array, {
      [`/${array}/.zarray`]: value,
      [`/${array}/.zattrs`]: metadata[`${array}/.zattrs`] ?? {},
    });
  }
  return { version: 2, attributes: objectOf(metadata['.zattrs']), arrays };
}

async function documents2(
  store: ObjectStore,
  array: string,
  name: string,
): Promise<ArrayDocuments | undefined> {
  const metadata = await readJson(store, `/${array}/.zarray`, name);
  if (metadata === undefined) return undefined;
  const attributes = (await readJson(store, `/${array}/.zattrs`, name)) ?? {};
  return { [`/${array}/.zarray`]: metadata, [`/${array}/.zattrs`]: attributes };
}

/** For a store that cannot be listed: requests every possible name, then the axes of what was found. */
async function findArrays(
  store: ObjectStore,
  read: (array: string) => Promise<ArrayDocuments | undefined>,
): Promise<Map<string, ArrayDocuments>> {
  const found = new Map<string, ArrayDocuments>();
  const ask = (names: Iterable<string>) =>
    forEachOf([...names], async (array) => {
      const documents = found.has(array) ? undefined : await read(array);
      if (documents !== undefined) found.set(array, documents);
    });
  const listed = await store.names?.();
  if (listed !== undefined) {
    await ask(listed);
    return found;
  }
  await ask(WEATHER_NAMES);
  await ask(new Set([...COORDINATE_NAMES, ...[...found.values()].flatMap(dimensionsOf)]));
  return found;
}

function dimensionsOf(documents: ArrayDocuments): string[] {
  return Object.values(documents).flatMap((document) => {
    const { dimension_names: names, _ARRAY_DIMENSIONS: older } = objectOf(document);
    const dimensions = names ?? older;
    return Array.isArray(dimensions) ? dimensions.filter((one) => typeof one === 'string') : [];
  });
}

type Json = Readonly<Record<string, unknown>>;

async function readJson(store: ObjectStore, key: string, name: string): Promise<Json | undefined> {
  const bytes = await store.get(key);
  if (bytes === undefined) return undefined;
  try {
    return objectOf(JSON.parse(withoutNan(new TextDecoder('utf-8', { fatal: true }).decode(bytes))));
  } catch (cause) {
    throw new MetError('unreadable', `${name}${key} is not a JSON document`, { path: name, key }, { cause });
  }
}

/** Python writes numbers that JSON does not know. */
function withoutNan(text: string): string {
  return text.replace(/([:[,]\s*)(?:NaN|-?Infinity)(?=\s*[,\]}])/g, '$1null');
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
