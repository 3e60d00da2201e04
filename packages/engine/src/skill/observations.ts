/** Where observations are: a folder, or a public bucket whose files are fetched once and kept. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DAY_MS, withRetry } from '@contrails/runtime';
import { ContrailsError, UsageError } from '@contrails/runtime/errors';
import { OBSERVATION_SOURCES, type ObservationSource } from './score.ts';

/** A time and level. */
export interface ShardName {
  /** [ms since 1970] */
  readonly timeMs: number;
  readonly flightLevel: number;
}

export interface Observations {
  /** Path of the file of a source; undefined where nothing was measured then. */
  find(source: ObservationSource, shard: ShardName): Promise<string | undefined>;
  /** All times and levels that some source has, in their order; undefined where they cannot be listed. */
  list(): Promise<ShardName[] | undefined>;
}

const fileName = ({ timeMs, flightLevel }: ShardName) => `${timeMs / 1000}_${flightLevel}.pq`;

/** `gs://` addresses are read without an account; their files are kept in the cache. */
export function openObservations(location: string, cache: string, origin = PUBLIC_BUCKETS): Observations {
  const [, bucket] = /^gs:\/\/(.+?)\/*$/.exec(location) ?? [];
  return bucket === undefined ? inFolder(location) : inBucket(bucket, cache, origin);
}

/** Observations come this long after their time at most [ms]. */
const LATE_MS = 60 * DAY_MS;
const PUBLIC_BUCKETS = 'https://storage.googleapis.com';

function inFolder(folder: string): Observations {
  return {
    async find(source, shard) {
      const path = join(folder, source, fileName(shard));
      return existsSync(path) ? path : undefined;
    },
    async list() {
      const names = new Set<string>();
      for (const source of OBSERVATION_SOURCES)
        for (const name of await readdir(join(folder, source)).catch(() => [])) names.add(name);
      const shards = [...names].flatMap((name): ShardName[] => {
        const [, seconds, level] = /^(\d+)_(\d{3})\.pq$/.exec(name) ?? [];
        return seconds === undefined ? [] : [{ timeMs: 1000 * Number(seconds), flightLevel: Number(level) }];
      });
      if (shards.length === 0)
        throw new UsageError(
          `${folder} has no observations such as adsb/1704240000_330.pq; give the directory that has adsb, iagos, gruan or contrailwatch`,
        );
      return shards.sort((a, b) => a.timeMs - b.timeMs || a.flightLevel - b.flightLevel);
    },
  };
}

function inBucket(bucket: string, cache: string, origin: string): Observations {
  return {
    async find(source, shard) {
      const name = `${bucket}/${source}/${fileName(shard)}`;
      const path = join(cache, name);
      const absent = `${path}.absent`;
      if (existsSync(path)) return path;
      if (existsSync(absent)) return undefined;
      const bytes = await fetched(`${origin}/${name}`);
      // What is recent may still come.
      if (bytes === undefined && shard.timeMs > Date.now() - LATE_MS) return undefined;
      await mkdir(dirname(path), { recursive: true });
      // A file that is half there must not be taken for a whole one.
      const partial = `${path}.${process.pid}.part`;
      await writeFile(partial, bytes ?? new Uint8Array());
      await rename(partial, bytes === undefined ? absent : path);
      return bytes && path;
    },
    list: async () => undefined,
  };
}

/** Undefined where there is no such file. */
async function fetched(url: string): Promise<Uint8Array | undefined> {
  const get = async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
    if (response.status === 404 || response.status === 403) return undefined;
    if (!response.ok) throw new Error(`status ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
  return withRetry(get, { attempts: 4, pauseMs: 500 }).catch((cause: Error) => {
    throw new ContrailsError(
      `${url} cannot be fetched (${cause.message}); check the address and the network, or give a folder`,
      { cause, facts: { url } },
    );
  });
}
