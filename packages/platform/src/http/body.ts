import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { withNullForNaN } from '@contrails/formats/json/nan-tokens';
import { errorsOf, Rejected } from '@contrails/runtime/options/rejected';
import { nextTurn } from '@contrails/runtime/turns';
import type { FastifyRequest } from 'fastify';
import type { App } from './app.ts';
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
  return bytes instanceof Rejected ? bytes : parseJson(bytes, readsNaN);
}

async function collectBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  limitBytes: number,
  overload: Overload,
): Promise<Buffer | Rejected> {
  const isPacked = isGzip(request.headers['content-encoding']);
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  if (declaredBytes > limitBytes) throw tooLarge(limitBytes);
  const count = (bytes: number) => {
    // A client that has gone is not counted: nothing would give the memory back.
    if (!request.exchange.isClosed) overload.countBody(request.exchange, bytes);
  };
  count(declaredBytes);
  const sent = await join(await collect(payload, limitBytes, count));
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

/** Taken from a client before other requests have their turn. */
const TAKEN_BYTES = 2 ** 20;

/**
 * Stops listening at the limit; what the client still sends is thrown away unread. Large bodies that come at the same time are
 * taken in turns: a round of the event loop would take many mebibytes from each otherwise.
 */
function collect(
  payload: IncomingMessage,
  limitBytes: number,
  count: (bytes: number) => void,
): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let turnAt = TAKEN_BYTES;
    let isSettled = false;
    const settle = (error?: Error | null) => {
      isSettled = true;
      payload.off('data', take).off('end', settle).off('error', settle);
      if (error) reject(error);
      else resolve(chunks);
    };
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limitBytes) return settle(tooLarge(limitBytes));
      try {
        count(size);
      } catch (error) {
        return settle(error as Error);
      }
      if (size < turnAt) return;
      turnAt = size + TAKEN_BYTES;
      payload.pause();
      void nextTurn().then(() => {
        if (!isSettled) payload.resume();
      });
    };
    payload.on('data', take).on('end', settle).on('error', settle);
  });
}

/** Copied before other requests have their turn: a few milliseconds. */
const JOIN_BYTES = 4 * 2 ** 20;

/** `Buffer.concat` in turns, because it takes 100 ms and more for the largest bodies. */
async function join(chunks: readonly Buffer[]): Promise<Buffer> {
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  if (size <= JOIN_BYTES) return Buffer.concat(chunks, size);
  const joined = Buffer.allocUnsafe(size);
  let end = 0;
  let turnAt = JOIN_BYTES;
  for (const chunk of chunks) {
    end += chunk.copy(joined, end);
    if (end < turnAt) continue;
    turnAt += JOIN_BYTES;
    await nextTurn();
  }
  return joined;
}

const gunzipLimited = promisify(gunzip);

async function unpack(packed: Buffer, limitBytes: number): Promise<Buffer | Rejected> {
  try {
    return await gunzipLimited(packed, { maxOutputLength: limitBytes });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes);
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
