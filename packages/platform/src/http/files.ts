import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { NotFoundError, UnavailableError } from '@contrails/runtime/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ByteRange, Store } from '../store/store.ts';
import { notAcceptable } from './accept.ts';
import { select } from './conditional.ts';
import { ProblemError } from './problem.ts';
import { sendWarnings } from './warnings.ts';

/** Bytes that are sent as a file, from memory or from the store. */
export interface File {
  readonly size: number;
  /** SHA-256 of the bytes, hex: the entity tag, which changes when, and only when, the bytes do. */
  readonly sha256: string;
  readonly modifiedMs: number;
  /** What a reader should know that the bytes have no place for. */
  readonly warnings?: readonly string[];
  open(range: ByteRange | undefined): Promise<Buffer | Readable>;
}

export interface FileAnswer {
  readonly contentType: string;
  /** Name a browser saves it under: product, time and extension. Without one it is shown, not saved. */
  readonly name?: string;
  /** Default: kept by the caller alone, and asked for again each time. */
  readonly cacheControl?: string;
}

/** An object of the store; rejects with `NotFoundError` when there is none. */
export async function storedFile(store: Pick<Store, 'head' | 'read'>, key: string): Promise<File> {
  const info = await store.head(key);
  if (info === undefined) throw new NotFoundError('this file is not stored');
  return {
    ...info,
    async open(range) {
      const opened = await store.read(key, range);
      if (opened?.info.sha256 === info.sha256) return opened.body;
      opened?.body.destroy();
      // Headers of one version must not go out with bytes of another.
      throw new UnavailableError('the file was replaced while it was read', { retryAfterSeconds: 1 });
    },
  };
}

export function memoryFile(bytes: Uint8Array, modifiedMs: number): File {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: buffer.length,
    sha256: createHash('sha256').update(buffer).digest('hex'),
    modifiedMs,
    open: async (range) => (range === undefined ? buffer : buffer.subarray(range.first, range.last + 1)),
  };
}

/** Answers a GET or HEAD with a file: whole, one range of it, or 304 when the caller has it. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: File,
  { contentType, name, cacheControl = 'private, no-cache' }: FileAnswer,
): Promise<FastifyReply> {
  const refusal = notAcceptable(request, [contentType]);
  if (refusal !== undefined) throw refusal;
  const etag = `"${file.sha256}"`;
  const selection = select(request.method, request.headers, {
    etag,
    modifiedMs: file.modifiedMs,
    size: file.size,
  });
  if (selection.status === 416) throw notSatisfiable(file.size);
  const range = selection.status === 206 ? selection.range : undefined;
  // Opened before any header is set: if it fails, the answer is an error and no file.
  const isEmpty = selection.status === 304 || request.method === 'HEAD';
  const body = isEmpty ? undefined : await file.open(range);
  reply.code(selection.status).headers({
    etag,
    'last-modified': new Date(file.modifiedMs).toUTCString(),
    'cache-control': cacheControl,
  });
  sendWarnings(reply, file.warnings ?? []);
  if (selection.status !== 304) {
    reply.headers({
      'content-type': contentType,
      // The bytes may be anything; no browser shall guess.
      'x-content-type-options': 'nosniff',
      'content-length': String(range === undefined ? file.size : range.last - range.first + 1),
      ...(name === undefined ? {} : { 'content-disposition': contentDisposition(name) }),
      'accept-ranges': 'bytes',
      ...(range === undefined ? {} : { 'content-range': `bytes ${range.first}-${range.last}/${file.size}` }),
    });
  }
  return reply.send(body);
}

function notSatisfiable(size: number): ProblemError {
  return new ProblemError(
    'range-not-satisfiable',
    `the file has ${size} bytes; ask for a range within them`,
    {
      headers: { 'content-range': `bytes */${size}` },
    },
  );
}

/** A plain name for every client and, where that loses something, the full one beside it (RFC 6266). */
export function contentDisposition(name: string): string {
  const plain = name.replace(/[^\w.+=@ -]/g, '_');
  if (plain === name) return `attachment; filename="${plain}"`;
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
