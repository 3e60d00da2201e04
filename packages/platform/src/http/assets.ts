import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { preferredEncoding } from './accept-encoding.ts';
import type { App } from './app.ts';
import { type File, memoryFile, sendFile } from './files.ts';

/** A file of a page: where it is served, where it lies, and what it is. */
export interface Asset {
  readonly url: string;
  readonly path: string;
  readonly contentType: string;
}

interface Variants {
  readonly identity: File;
  readonly gzip: File;
  readonly br: File;
}

/** Serves files that pages are made of. Each is read and compressed once, when it is first asked for. */
export function serveAssets(app: App, assets: readonly Asset[]): void {
  for (const { url, path, contentType } of assets) {
    const variants = once(() => load(path));
    app.get(url, { config: { scope: 'public' }, schema: { hide: true } }, async (request, reply) => {
      const encoding = preferredEncoding(request.headers['accept-encoding']) ?? 'identity';
      const file = (await variants())[encoding];
      if (encoding !== 'identity') reply.header('content-encoding', encoding);
      reply.header('vary', 'accept-encoding');
      return sendFile(request, reply, file, { contentType, cacheControl: 'no-cache' });
    });
  }
}

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

async function load(path: string): Promise<Variants> {
  const [bytes, { mtimeMs }] = await Promise.all([readFile(path), stat(path)]);
  const [gzipped, brotlied] = await Promise.all([
    gzipAsync(bytes, { level: 9 }),
    brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ]);
  return {
    identity: memoryFile(bytes, mtimeMs),
    gzip: memoryFile(gzipped, mtimeMs),
    br: memoryFile(brotlied, mtimeMs),
  };
}

/** A failed attempt is not kept. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
