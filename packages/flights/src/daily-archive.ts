/** Days of traffic as aggregators publish them: archives of traces, whole or cut into parts, found and downloaded by date. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ContrailsError, isoDate, withRetry } from '@contrails/runtime';
import { USER_AGENT } from '@contrails/runtime/user-agent';
import { suffixAt } from './ingest/parts.ts';

const ROOT = 'https://github.com/adsblol';
const API = 'https://api.github.com/repos/adsblol';
/** In the order in which they are tried; `mlatonly-0` has no positions of ADS-B. */
const VARIANTS = ['prod-0', 'prod-0tmp', 'staging-0'] as const;
const MAX_PARTS = 26 * 26;
const RETRY = { attempts: 4, pauseMs: 500, maxPauseMs: 30_000 } as const;

export const ARCHIVE_LICENCE = '© adsb.lol contributors, ODbL 1.0';

export interface ArchiveFile {
  readonly name: string;
  readonly url: string;
  readonly bytes: number;
  /** SHA-256 in hexadecimal, where the publisher states it. */
  readonly sha256?: string | undefined;
}

export interface DailyArchive {
  readonly date: string;
  readonly tag: string;
  readonly files: readonly ArchiveFile[];
  readonly bytes: number;
}

export interface ArchiveOptions {
  /** A folder, or a root with the same tree as the publisher's, for mirrors; the publisher without it. */
  readonly root?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The archive of a day; undefined where it is not published. */
export async function findArchive(dayMs: number, options: ArchiveOptions): Promise<DailyArchive | undefined> {
  const date = isoDate(dayMs);
  const year = Number(date.slice(0, 4));
  for (const variant of VARIANTS) {
    const tag = `v${date.replaceAll('-', '.')}-planes-readsb-${variant}`;
    // The last days of December are in the repository of the next year too.
    for (const repository of [year, year + 1].map((one) => `globe_history_${one}`)) {
      const files = await filesOf(repository, tag, options);
      if (files.length > 0) {
        return { date, tag, files, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
      }
    }
  }
  return undefined;
}

async function filesOf(repository: string, tag: string, options: ArchiveOptions): Promise<ArchiveFile[]> {
  if (options.root !== undefined && !/^https?:\/\//.test(options.root)) {
    return listFolder(options.root, repository, tag);
  }
  const listed = options.root === undefined ? await listAssets(repository, tag, options) : undefined;
  if (listed !== undefined) return listed;
  const base = `${(options.root ?? ROOT).replace(/\/$/, '')}/${repository}/releases/download/${tag}`;
  const probe = async (name: string): Promise<ArchiveFile | undefined> => {
    const url = `${base}/${name}`;
    const response = await ask(url, { method: 'HEAD' }, options);
    if (response === undefined) return undefined;
    return { name, url, bytes: Number(response.headers.get('content-length') ?? 0) };
  };
  const whole = await probe(`${tag}.tar`);
  if (whole !== undefined) return [whole];
  const parts: ArchiveFile[] = [];
  for (let k = 0; k < MAX_PARTS; k++) {
    const part = await probe(`${tag}.tar.${suffixAt(k)}`);
    if (part === undefined) break;
    parts.push(part);
  }
  return parts;
}

/** Archives of a folder, which may have the tree of the publisher. */
async function listFolder(root: string, repository: string, tag: string): Promise<ArchiveFile[]> {
  for (const folder of [root, join(root, repository, 'releases', 'download', tag)]) {
    const own = (await readdir(folder).catch(() => []))
      .filter((name) => name.startsWith(`${tag}.tar`) && /\.tar(?:\.[a-z]{2})?$/.test(name))
      .sort();
    // A whole archive comes before its parts.
    const wanted = own.includes(`${tag}.tar`) ? [`${tag}.tar`] : own;
    if (wanted.length === 0) continue;
    return Promise.all(
      wanted.map(async (name) => {
        const path = resolve(folder, name);
        return { name, url: pathToFileURL(path).href, bytes: (await stat(path)).size };
      }),
    );
  }
  return [];
}

interface Asset {
  readonly name: string;
  readonly browser_download_url: string;
  readonly size: number;
  readonly digest?: string | null;
}

/** Undefined where the interface does not answer, which happens beyond its limit of requests. */
async function listAssets(
  repository: string,
  tag: string,
  options: ArchiveOptions,
): Promise<ArchiveFile[] | undefined> {
  try {
    const response = await ask(`${API}/${repository}/releases/tags/${tag}`, {}, options);
    if (response === undefined) return [];
    const { assets } = (await response.json()) as { readonly assets: readonly Asset[] };
    return assets
      .filter(({ name }) => name === `${tag}.tar` || name.startsWith(`${tag}.tar.`))
      .map(({ name, browser_download_url: url, size, digest }) => ({
        name,
        url,
        bytes: size,
        sha256: /^sha256:([0-9a-f]{64})$/.exec(digest ?? '')?.[1],
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (options.signal?.aborted) throw error;
    return undefined;
  }
}

/** Undefined where there is nothing at the address. */
async function ask(
  url: string,
  init: RequestInit,
  { signal }: ArchiveOptions,
): Promise<Response | undefined> {
  return withRetry(
    async () => {
      const headers = { 'user-agent': USER_AGENT, ...init.headers };
      const response = await fetch(url, { ...init, headers, ...(signal === undefined ? {} : { signal }) });
      if (response.status === 404) return undefined;
      if (response.ok) return response;
      throw new ContrailsError(`${url} answers ${response.status}`, { facts: { status: response.status } });
    },
    { ...RETRY, isTransient: (error) => !isRefusal(error), ...(signal === undefined ? {} : { signal }) },
  );
}

function isRefusal(error: unknown): boolean {
  const status = error instanceof ContrailsError ? Number(error.facts.status) : 0;
  return status >= 400 && status < 500 && status !== 429;
}

export interface DownloadOptions extends ArchiveOptions {
  /** Bytes of this file that are there. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Downloads a file of an archive into a folder. What an earlier attempt has left is continued; the file has its name only when its
 * size and checksum are right.
 */
export async function downloadPart(
  file: ArchiveFile,
  folder: string,
  options: DownloadOptions,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, file.name);
  if ((await sizeOf(path)) === file.bytes) {
    options.onBytes?.(file.bytes);
    return path;
  }
  const part = `${path}.part`;
  await withRetry(() => continueDownload(file, part, options), {
    ...RETRY,
    isTransient: (error) => !isRefusal(error),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const size = await sizeOf(part);
  const hash = file.sha256 === undefined ? undefined : await sha256(part);
  if (size !== file.bytes || hash !== file.sha256) {
    await rm(part, { force: true });
    throw new ContrailsError(
      `${file.name} has other bytes than its publisher states (${size} of ${file.bytes}); fetch it again`,
      { facts: { name: file.name, size, bytes: file.bytes } },
    );
  }
  await rename(part, path);
  return path;
}

async function continueDownload(file: ArchiveFile, part: string, options: DownloadOptions): Promise<void> {
  const done = (await sizeOf(part)) ?? 0;
  if (done === file.bytes) return;
  const { content, isContinued } = await openFrom(file, done > file.bytes ? 0 : done, options);
  let bytes = isContinued ? done : 0;
  const counted = async function* (source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) {
      bytes += chunk.length;
      options.onBytes?.(bytes);
      yield chunk;
    }
  };
  await pipeline(content, counted, createWriteStream(part, { flags: isContinued ? 'a' : 'w' }));
}

/** The bytes of a file from an offset on. A server that does not know ranges sends the whole file. */
async function openFrom(
  { url }: ArchiveFile,
  start: number,
  options: ArchiveOptions,
): Promise<{ readonly content: AsyncIterable<Uint8Array>; readonly isContinued: boolean }> {
  if (url.startsWith('file:')) {
    return { content: createReadStream(fileURLToPath(url), { start }), isContinued: start > 0 };
  }
  const range = start > 0 ? { range: `bytes=${start}-` } : {};
  const response = await ask(url, { headers: range }, options);
  if (response?.body == null) throw new ContrailsError(`${url} is gone; look for the day again`);
  return {
    content: response.body as unknown as AsyncIterable<Uint8Array>,
    isContinued: start > 0 && response.status === 206,
  };
}

/** Names an archive by what its publisher states of it, however its bytes are read. */
export function archiveIdentity({ tag, files }: DailyArchive): string {
  const facts = files.map(({ name, bytes, sha256: digest }) => [name, bytes, digest ?? null]);
  return createHash('sha256')
    .update(JSON.stringify([tag, facts]))
    .digest('hex');
}

/**
 * The bytes of all files of an archive in turn, without keeping them. A connection that breaks is continued; a file with another
 * checksum than the publisher states is an error at its end.
 */
export async function* streamArchive(
  { files }: DailyArchive,
  options: ArchiveOptions,
): AsyncGenerator<Uint8Array> {
  for (const file of files) {
    let done = 0;
    const hash = file.sha256 === undefined ? undefined : createHash('sha256');
    for (let attempt = 1; done < file.bytes; attempt++) {
      const { content, isContinued } = await openFrom(file, done, options);
      let skip = isContinued ? 0 : done;
      try {
        for await (const chunk of content) {
          const fresh = chunk.subarray(Math.min(skip, chunk.length));
          skip -= chunk.length - fresh.length;
          done += fresh.length;
          hash?.update(fresh);
          if (fresh.length > 0) {
            attempt = 1;
            yield fresh;
          }
        }
      } catch (error) {
        if (options.signal?.aborted || attempt >= RETRY.attempts) throw error;
      }
      if (done < file.bytes && attempt >= RETRY.attempts) {
        throw new ContrailsError(`${file.url} breaks off after ${done} of ${file.bytes} bytes; try again`);
      }
    }
    if (hash !== undefined && hash.digest('hex') !== file.sha256) {
      throw new ContrailsError(`${file.name} has other bytes than its publisher states; fetch it again`);
    }
  }
}

/** Throws where the folder has less space than the archive needs. */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  const gigabytes = (count: number) => `${(count / 1e9).toFixed(2)} GB`;
  throw new ContrailsError(
    `${folder} has ${gigabytes(bavail * bsize)} of free space; the archive needs ${gigabytes(bytes)}: free some, or give another folder with --keep`,
  );
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
