import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { DAY_MS } from '@contrails/runtime';
import { describeRuns, type Run, runsOf, type SourceOrigin } from '../../dataset/description.ts';
import type { FileHeader } from '../../dataset/header.ts';
import { inFile } from '../../dataset/in-file.ts';
import { contentsOfMember, entriesOf, type FileEntries, membersOf } from '../../dataset/layout.ts';
import type { SourceDescription } from '../../source.ts';
import { describeMember, type MemberSetting } from '../members.ts';
import { cutTimes } from './cut-times.ts';
import { readDocuments, type StoreDocuments } from './documents.ts';
import { readHeader } from './header.ts';
import type { HttpLimits } from './http-get.ts';
import { nameOf, type StoreLocation } from './location.ts';
import type { ObjectStore } from './object-store.ts';
import { openStore } from './store.ts';

/** A store and what it holds. */
export interface Holder {
  readonly location: StoreLocation;
  readonly documents: StoreDocuments;
  readonly header: FileHeader;
  readonly contents: FileEntries;
}

export interface StoreIndex {
  readonly takenMs: number;
  readonly generation: string;
  readonly holders: readonly Holder[];
  /** By the names of the stores. */
  readonly storeGenerations: ReadonlyMap<string, string>;
  readonly runs: readonly Run[];
  describe(): SourceDescription;
}

export interface StoreIndexOptions extends Omit<SourceOrigin, 'kind'> {
  readonly member?: MemberSetting;
  readonly levels?: readonly number[];
}

/** What the stores hold, from their metadata and axes; what is known already where nothing has changed. */
export async function indexStores(
  locations: readonly StoreLocation[],
  options: StoreIndexOptions,
  limits: HttpLimits,
  known: StoreIndex | undefined,
): Promise<StoreIndex> {
  const takenMs = Date.now();
  const hash = createHash('sha256');
  const holders: Holder[] = [];
  const storeGenerations = new Map<string, string>();
  for (const location of locations) {
    const store = openStore(location, limits);
    const { documents, header } = await inFile(nameOf(location), async () => {
      const documents = await readDocuments(store, nameOf(location));
      const header =
        unchangedHeader(known, location, documents) ?? (await readHeader(store, nameOf(location), documents));
      return { documents, header };
    });
    // Attributes are left out of the generation of a store: ARCO-ERA5 changes them with every day that it adds.
    const data = dataDigest(documents, header);
    storeGenerations.set(nameOf(location), data);
    hash.update(JSON.stringify([documents.attributes, data, await writeTimes(store, documents)]));
    const contents = contentsOf(location, documents, header, options.member === 'all' ? 0 : options.member);
    holders.push({ location, documents, header, contents });
  }
  const generation = hash.digest('hex').slice(0, 32);
  if (known?.generation === generation) return { ...known, takenMs };
  return indexOf({ takenMs, generation, holders, storeGenerations }, options);
}

/** The same stores with the weather of another member of their ensemble. */
export function indexOfMember(
  { takenMs, generation, holders, storeGenerations }: StoreIndex,
  options: StoreIndexOptions,
  member: number,
): StoreIndex {
  const ofMember = holders.map((holder) => ({
    ...holder,
    contents: contentsOfMember(holder.contents, member),
  }));
  return indexOf({ takenMs, generation, holders: ofMember, storeGenerations }, options, member);
}

function indexOf(
  stores: Pick<StoreIndex, 'takenMs' | 'generation' | 'holders' | 'storeGenerations'>,
  options: StoreIndexOptions,
  member?: number,
): StoreIndex {
  const { generation, holders, storeGenerations } = stores;
  const runs = runsOf(
    holders.map(({ contents }) => contents),
    options,
  );
  let description: SourceDescription | undefined;
  return {
    ...stores,
    runs,
    // A century of hours takes a second to describe.
    describe: () => {
      description ??= {
        ...describeRuns(
          runs,
          { ...options, kind: 'zarr' },
          generation,
          ({ path }) => storeGenerations.get(path) ?? generation,
        ),
        ...(options.member === 'all' ? describeMember(membersOf(runs), member) : {}),
      };
      return description;
    },
  };
}

/** Axes are fetched again from a server only where the metadata of its arrays have changed: those of a century are long. */
function unchangedHeader(
  known: StoreIndex | undefined,
  location: StoreLocation,
  documents: StoreDocuments,
): FileHeader | undefined {
  if (location.kind !== 'http') return undefined;
  const before = known?.holders.find((holder) => nameOf(holder.location) === nameOf(location));
  return before !== undefined && isDeepStrictEqual(before.documents, documents) ? before.header : undefined;
}

function contentsOf(
  location: StoreLocation,
  { attributes }: StoreDocuments,
  header: FileHeader,
  member: number | undefined,
): FileEntries {
  const stamp = { path: nameOf(location), size: 0, modifiedMs: 0, inode: 0 };
  const { entries, unusable } = entriesOf(stamp, 'zarr', header, member);
  const filled = filledRange(attributes);
  return {
    unusable,
    entries: filled === undefined ? entries : entries.map((entry) => cutTimes(entry, filled)),
  };
}

/** ARCO-ERA5 reserves room for decades to come and lists the available days; the preliminary ones count too. */
function filledRange(attributes: StoreDocuments['attributes']): readonly [number, number] | undefined {
  const dayOf = (name: string) => Date.parse(String(attributes[name] ?? ''));
  const stops = [dayOf('valid_time_stop'), dayOf('valid_time_stop_era5t')].filter(
    (day) => !Number.isNaN(day),
  );
  const start = dayOf('valid_time_start');
  if (stops.length === 0) return undefined;
  return [Number.isNaN(start) ? Number.NEGATIVE_INFINITY : start, Math.max(...stops) + DAY_MS - 1];
}

/** When arrays were written, which differs between copies of a store: for caches of this process alone. */
async function writeTimes(store: ObjectStore, { arrays }: StoreDocuments): Promise<unknown[]> {
  return Promise.all([...arrays.keys()].sort().map((name) => store.modifiedMs?.(name)));
}

/** Identifies the content of a store on every machine by its metadata and axes: chunks are too many to look into. */
function dataDigest({ arrays }: StoreDocuments, { coordinates }: FileHeader): string {
  const hash = createHash('sha256');
  for (const [name, documents] of [...arrays].sort(([one], [other]) => (one < other ? -1 : 1))) {
    hash.update(JSON.stringify([name, documents]));
  }
  for (const [name, values] of [...coordinates].sort(([one], [other]) => (one < other ? -1 : 1))) {
    hash.update(name).update(values);
  }
  return hash.digest('hex').slice(0, 32);
}
