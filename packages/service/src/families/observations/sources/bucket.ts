/** A bucket with the key layout of public archives: one prefix for each hour, or each frame, of a day. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseFileName } from '@contrails/observations/file-names';
import { FRAME_STEP_MS } from '@contrails/observations/frame';
import { type Bucket, openBucket } from '@contrails/platform/store/s3/bucket';
import { getObject } from '@contrails/platform/store/s3/requests';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';
import type { CoreConfig } from '../../../config/core.ts';
import type { FrameSource } from '../config.ts';
import { type FrameInput, frameTime, nameOf } from '../frames/table.ts';
import { knownFiles, noteFiles, type SeenFile } from './inputs.ts';
import type { Look } from './look.ts';
import { lookFromMs, noteLook } from './sources.ts';

/** Objects appear minutes after their scan; so far back listings are repeated. */
const LATENESS_MS = HOUR_MS;

/** Where objects of an archive are. */
export type ArchiveBucket = Pick<FrameSource, 'bucket' | 'prefix' | 'endpoint' | 'region' | 'isSigned'>;

/** Objects of the frames between two times. */
export async function* listBucket(
  source: ArchiveBucket,
  fromMs: number,
  toMs: number,
  signal: AbortSignal,
): AsyncGenerator<SeenFile> {
  const bucket = await open(source, undefined);
  try {
    for (const prefix of prefixesBetween(source.prefix, fromMs, toMs)) yield* list(bucket, prefix, signal);
  } finally {
    bucket.close();
  }
}

/** Lists the prefixes since the last look, and notes the objects that are new or were replaced. */
export const lookIntoBucket: Look = async ({ database, s3 }, source, detector, signal) => {
  const nowMs = Date.now();
  const fromMs = await lookFromMs(database, source, LATENESS_MS, nowMs);
  const known = await knownFiles(database, source.name, fromMs - DAY_MS);
  const bucket = await open(source, s3);
  let queued = 0;
  try {
    for (const prefix of prefixesBetween(source.prefix, fromMs, nowMs)) {
      const fresh: SeenFile[] = [];
      for await (const file of list(bucket, prefix, signal)) {
        const named = parseFileName(file.path);
        if (named === undefined || named.satellite !== source.satellite || named.time < frameTime(fromMs))
          continue;
        if (known.get(file.path) !== file.signature) fresh.push(file);
      }
      queued += await noteFiles(database, source, fresh, detector, Date.now());
    }
  } finally {
    bucket.close();
  }
  await noteLook(database, source.name, nowMs);
  return queued;
};

/** Downloads the objects of a frame into a folder; returns the paths. Undefined when one is gone or was replaced. */
export async function downloadInputs(
  source: ArchiveBucket,
  s3: CoreConfig['s3'] | undefined,
  inputs: readonly FrameInput[],
  directory: string,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const bucket = await open(source, s3);
  try {
    const paths: string[] = [];
    for (const { path: key, checksum } of inputs) {
      signal.throwIfAborted();
      const found = await getObject(bucket, key);
      if (found === undefined || found === 'behind') return undefined;
      if (tagOf(found.stored.etag) !== checksum) {
        found.body.destroy();
        return undefined;
      }
      const path = join(directory, nameOf(key));
      await pipeline(found.body, createWriteStream(path), { signal });
      paths.push(path);
    }
    return paths;
  } finally {
    bucket.close();
  }
}

function open(source: ArchiveBucket, s3: CoreConfig['s3'] | undefined): Promise<Bucket> {
  return openBucket(source.bucket, {
    endpoint: source.endpoint,
    region: source.region,
    // Servers other than Amazon's seldom have a name for each bucket.
    forcePathStyle: source.endpoint !== undefined,
    ...(source.isSigned
      ? {
          accessKeyId: s3?.access_key_id?.reveal(),
          secretAccessKey: s3?.secret_access_key?.reveal(),
        }
      : { isAnonymous: true }),
  });
}

async function* list(bucket: Bucket, prefix: string, signal: AbortSignal): AsyncGenerator<SeenFile> {
  let token: string | undefined;
  do {
    const page = await bucket.call(
      (limits) =>
        bucket.client.listObjectsV2(
          {
            Bucket: bucket.name,
            Prefix: prefix,
            ...(token === undefined ? {} : { ContinuationToken: token }),
          },
          limits,
        ),
      { signal },
    );
    for (const { Key, Size = 0, ETag } of page.Contents ?? []) {
      if (Key === undefined || Size === 0) continue;
      if (ETag === undefined) {
        throw new UnavailableError(
          `the bucket ${bucket.name} lists ${Key} without an entity tag; check the endpoint of the source`,
        );
      }
      const checksum = tagOf(ETag);
      yield { path: Key, bytes: Size, checksum, signature: `${Size}:${checksum}` };
    }
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

function tagOf(etag: string): string {
  return etag.replaceAll('"', '');
}

/** The prefixes of all frames between two times, each once, in order. */
export function prefixesBetween(template: string, fromMs: number, toMs: number): string[] {
  const prefixes = new Set<string>();
  for (let ms = frameTime(fromMs); ms <= toMs; ms += FRAME_STEP_MS) prefixes.add(prefixAt(template, ms));
  return [...prefixes];
}

function prefixAt(template: string, ms: number): string {
  const date = new Date(ms);
  const [year, month, day] = date.toISOString().slice(0, 10).split('-') as [string, string, string];
  const dayOfYear = Math.floor((ms - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;
  const values: Readonly<Record<string, string>> = {
    year,
    month,
    day,
    day_of_year: String(dayOfYear).padStart(3, '0'),
    hour: String(date.getUTCHours()).padStart(2, '0'),
    minute: String(date.getUTCMinutes()).padStart(2, '0'),
  };
  return template.replaceAll(/\{(\w+)\}/g, (text, name: string) => values[name] ?? text);
}
