/** Smaller files cut from an hour. DuckDB reads only the row groups and columns that a filter needs, and writes to a file. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TELEMETRY_COLUMNS, type TelemetryColumnName } from '@contrails/flights';
import { sqlPath, sqlText } from '@contrails/formats';
import { UnavailableError } from '../../../errors.ts';
import type { BoundingBox } from '../../../grids/layout.ts';
import type { File } from '../../../http/files.ts';
import type { Store } from '../../../store/store.ts';
import type { HourManifest } from '../hours/manifest.ts';
import { localCopy, withWorkspace } from '../local-files.ts';

export interface Filter {
  readonly bbox: BoundingBox | undefined;
  readonly airlines: readonly string[] | undefined;
  readonly addresses: readonly string[] | undefined;
  readonly flightIds: readonly string[] | undefined;
  readonly columns: readonly TelemetryColumnName[] | undefined;
}

export function isFiltered(filter: Filter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

const MEMORY_MIB = 256;
const AT_ONCE = 2;
const MAX_WAITING = 16;
/** Results that are kept for clients that ask for further ranges of them. */
const MAX_KEPT = 8;
const MAX_KEPT_BYTES = 2 ** 30;

interface Cut {
  readonly path: string;
  readonly size: number;
}

/** Cuts files and keeps the last ones, because clients ask for one range after the other. */
export function createFilteredFiles(store: Store) {
  const kept = new Map<string, Promise<Cut>>();
  const queue = createQueue(AT_ONCE, MAX_WAITING);
  let folder: Promise<string> | undefined;

  const cut = async (manifest: HourManifest, filter: Filter): Promise<Cut> => {
    folder ??= mkdtemp(join(tmpdir(), 'contrails-filtered-'));
    // A name of its own: the removal of a forgotten file cannot meet the one that replaces it.
    const path = join(await folder, `${randomUUID()}.parquet`);
    await queue(() =>
      withWorkspace({ memoryMiB: MEMORY_MIB }, async ({ duckdb, directory }) => {
        // Sorted by aircraft, a file has few row groups with one of them.
        const isByAircraft = filter.addresses !== undefined || filter.flightIds !== undefined;
        const { key } = isByAircraft ? manifest.by_aircraft : manifest.served;
        const made = join(directory, 'filtered.parquet');
        await duckdb.run(copySql(await localCopy(store, key, directory), made, manifest, filter));
        await rename(made, path);
      }),
    );
    return { path, size: (await stat(path)).size };
  };

  const forget = async (tag: string, { path }: Cut) => {
    kept.delete(tag);
    await rm(path, { force: true });
  };

  /** Forgets the oldest files; never the last one, which somebody is about to read. */
  const makeRoom = async () => {
    const made = [...kept].map(async ([tag, result]) => ({ tag, result, file: await result }));
    // A cut that fails is no concern of the others.
    const files = (await Promise.allSettled(made)).flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
    let bytes = files.reduce((sum, { file }) => sum + file.size, 0);
    for (const [index, { tag, result, file }] of files.slice(0, -1).entries()) {
      if (files.length - index <= MAX_KEPT && bytes <= MAX_KEPT_BYTES) return;
      bytes -= file.size;
      // Another turn may have forgotten it while this one waited, and a client may have asked for it again.
      if (kept.get(tag) === result) await forget(tag, file);
    }
  };

  return {
    /** The tag follows from the generation and the filter, so that a client that has the file is not sent it again. */
    async open(manifest: HourManifest, filter: Filter): Promise<File> {
      const tag = createHash('sha256')
        .update(`${manifest.sha256} ${JSON.stringify(filter)}`)
        .digest('hex');
      let result = kept.get(tag);
      if (result === undefined) {
        result = cut(manifest, filter);
        kept.set(tag, result);
        result.then(makeRoom, () => kept.delete(tag)).catch(() => undefined);
      }
      const { path, size } = await result;
      return {
        size,
        sha256: tag,
        modifiedMs: Date.parse(manifest.sealed_at),
        // Opened at once: a file that is forgotten meanwhile can still be read to its end.
        async open(range) {
          const stream = createReadStream(
            path,
            range === undefined ? {} : { start: range.first, end: range.last },
          );
          await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject));
          return stream;
        },
      };
    },
    async close(): Promise<void> {
      if (folder !== undefined) await rm(await folder, { recursive: true, force: true });
    },
  };
}

function copySql(source: string, target: string, manifest: HourManifest, filter: Filter): string {
  const { columns = TELEMETRY_COLUMNS } = filter;
  const selected = TELEMETRY_COLUMNS.filter((name) => columns.includes(name)).map((name) => `"${name}"`);
  const footer = {
    schema_version: '1',
    hour: manifest.hour,
    generation: String(manifest.generation),
    filter: JSON.stringify(filter),
  };
  const metadata = Object.entries(footer).map(([name, value]) => `${name}: ${sqlText(value)}`);
  return `COPY (SELECT ${selected.join(', ')} FROM read_parquet(${sqlPath(source)}, hive_partitioning = false)
    WHERE ${conditions(filter).join(' AND ') || 'true'} ORDER BY "timestamp", icao_address)
    TO ${sqlText(target)} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, KV_METADATA {${metadata.join(', ')}})`;
}

function conditions({ bbox, airlines, addresses, flightIds }: Filter): string[] {
  const oneOf = (column: string, values: readonly string[] | undefined) =>
    values === undefined ? [] : [`${column} IN (${values.map(sqlText).join(', ')})`];
  return [
    ...oneOf('icao_address', addresses),
    ...oneOf('airline_iata', airlines),
    ...oneOf('flight_id', flightIds),
    ...(bbox === undefined ? [] : boxConditions(bbox)),
  ];
}

function boxConditions({ minLon, maxLon, minLat, maxLat, crossesAntimeridian }: BoundingBox): string[] {
  const latitude = `latitude BETWEEN ${minLat} AND ${maxLat}`;
  if (crossesAntimeridian) return [latitude, `(longitude >= ${minLon} OR longitude <= ${maxLon})`];
  // Longitude 180 is stored as −180.
  const edge = maxLon === 180 ? ' OR longitude = -180' : '';
  return [latitude, `(longitude BETWEEN ${minLon} AND ${maxLon}${edge})`];
}

/** Runs so many at once; refuses when too many wait. */
function createQueue(atOnce: number, maxWaiting: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) {
        throw new UnavailableError('too many filtered requests wait', { retryAfterSeconds: 5 });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
