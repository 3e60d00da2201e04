import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { withNullForNaN } from '@contrails/formats/json/nan-tokens';
import { errorsOf, Rejected } from '@contrails/runtime/options/rejected';
import { countShortLived } from '@contrails/runtime/threads';
import { nextTurn } from '@contrails/runtime/turns';
import type { FastifyRequest } from 'fastify';
import type { App } from './app.ts';
import { collectBytes, GrowingBytes } from './incoming.ts';
import { parseJsonInTurns } from './json-parse.ts';
import { jsonShapeError } from './json-shape.ts';
import type { Overload } from './overload.ts';
import { ProblemError } from './problem.ts';

/** Bodies are JSON in UTF-8, plain or gzipped, and never larger than the limit, also when they are unpacked. */
export function readJsonBodies(app: App, limitBytes: number, overload: Overload): void {
  app.removeAllContentTypeParsers();
  const read = (request: FastifyRequest, payload: IncomingMessage) =>
    readBody(request, payload, limitBytes, overload);
  app.decorate('collectBody', async (request, payload) => {
    const bytes = await collectBody(request, payload, limitBytes, overload);
    if (bytes instanceof Rejected) throw errorsOf(undefined, undefined, bytes);
    return bytes;
  });
  app.addContentTypeParser('application/json', read);
  app.addContentTypeParser(/^application\/[\w.-]+\+json(;|$)/, read);
}

async function readBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  limitBytes: number,
  overload: Overload,
): Promise<unknown> {
  refuseCharset(request.headers['content-type'] ?? '');
  const bytes = await collectBody(request, payload, limitBytes, overload);
  const readsNaN = NAN_AS_NULL.test(request.headers['content-type'] ?? '');
  if (bytes instanceof Rejected) return bytes;
  const value = await parseJson(bytes, readsNaN);
  // Frees the memory; it would be there until all garbage is collected.
  bytes.buffer.transfer(0);
  return value;
}

async function collectBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  limitBytes: number,
  overload: Overload,
): Promise<Buffer<ArrayBuffer> | Rejected> {
  const isPacked = isGzip(request.headers['content-encoding']);
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  if (declaredBytes > limitBytes) throw tooLarge(limitBytes);
  const count = (bytes: number) => {
    // A client that has gone is not counted: nothing would give the memory back.
    if (!request.exchange.isClosed) overload.countBody(request.exchange, bytes);
  };
  count(declaredBytes);
  const sent = await collectBytes(payload, declaredBytes, (bytes) => {
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    count(bytes);
  });
  const bytes = isPacked ? await unpack(sent, limitBytes) : sent;
  if (!(bytes instanceof Rejected)) count(bytes.length);
  return bytes;
}

/** `Content-Type: application/json; nan=null`: NaN and Infinity, which are no JSON, are read as null. */
const NAN_AS_NULL = /;\s*nan\s*=\s*"?null"?\s*(;|$)/i;

function refuseCharset(contentType: string): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1]?.toLowerCase();
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii') return;
  throw new ProblemError(
    'unsupported-media-type',
    'JSON is read as UTF-8 only; send it with charset=utf-8 or none',
  );
}

function isGzip(encoding: string | undefined): boolean {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === 'gzip' || name === 'x-gzip') return true;
  if (name === 'identity' || name === '') return false;
  throw new ProblemError(
    'unsupported-media-type',
    'bodies may be compressed with gzip only; send Content-Encoding: gzip or none',
    {
      headers: { 'accept-encoding': 'gzip' },
    },
  );
}

/** Unpacked before other requests have their turn. */
const UNPACKED_BYTES = 256 * 1024;

async function unpack(packed: Buffer, limitBytes: number): Promise<Buffer<ArrayBuffer> | Rejected> {
  const bytes = new GrowingBytes();
  const parts = createGunzip({ chunkSize: UNPACKED_BYTES });
  parts.end(packed);
  try {
    for await (const part of parts as AsyncIterable<Buffer>) {
      countShortLived(part.length);
      if (bytes.length + part.length > limitBytes) throw tooLarge(limitBytes);
      bytes.add(part);
      if (part.length === UNPACKED_BYTES) await nextTurn();
    }
    return bytes.whole();
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    return unreadable(
      'the body is not valid gzip, although Content-Encoding says so; compress it again',
      'encoding',
    );
  }
}

async function parseJson(bytes: Buffer, readsNaN: boolean): Promise<unknown> {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) return unreadable('the body is not valid UTF-8; encode it as UTF-8', 'encoding');
  const shapeError = await jsonShapeError(bytes);
  if (shapeError !== undefined) return unreadable(shapeError, 'json');
  const parse = (text: string): unknown => JSON.parse(readsNaN ? withNullForNaN(text) : text);
  try {
    return await parseJsonInTurns(hasByteOrderMark(bytes) ? bytes.subarray(3) : bytes, parse);
  } catch (error) {
    const what = error instanceof SyntaxError ? error.message : 'syntax error';
    // Python writes them by default.
    const hint = /token '?[NI]/.test(what)
      ? '; JSON has no NaN and no Infinity: send null, or "Content-Type: application/json; nan=null"'
      : '';
    return unreadable(`the body is not valid JSON: ${what.slice(0, 200)}${hint}`, 'json');
  }
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function unreadable(msg: string, type: string): Rejected {
  return new Rejected([{ loc: ['body'], msg, type }]);
}

function tooLarge(limitBytes: number): ProblemError {
  const limit = limitBytes >= 2 ** 20 ? `${Math.floor(limitBytes / 2 ** 20)} MiB` : `${limitBytes} bytes`;
  return new ProblemError(
    'payload-too-large',
    `the body is larger than ${limit} after decompression; send it in parts`,
  );
}
