import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Encoding, preferredEncoding } from './accept-encoding.ts';

/** A connection sends ten segments at once (RFC 6928): what fits into them arrives no sooner when it is packed. */
const WORTHWHILE_BYTES = 14_000;
const GZIP = { level: 6 };
/** Brotli's own default takes forty times as long for a tenth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** JSON, GeoJSON, KML and pages; netCDF and Parquet are compressed inside already, and events must not wait for more. */
const TEXT = /^(text\/(?!event-stream)|application\/(json|javascript|xml|[\w.-]+\+(json|xml)))/;

type Payload = string | Buffer | Readable | null | undefined;

/**
 * Compresses texts for clients that accept it, off the main thread, and sets all headers that depend on it. Responses
 * undefined when the payload is to be sent as it is.
 */
export function compressed(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Payload,
): Promise<Buffer> | Readable | null | undefined {
  if (!isCompressible(request, reply, payload)) return undefined;
  reply.header('vary', joined(reply.getHeader('vary'), 'accept-encoding'));
  const encoding = preferredEncoding(request.headers['accept-encoding']);
  if (encoding === undefined) return undefined;
  describe(reply, encoding);
  if (request.method === 'HEAD' || payload == null) return null;
  return payload instanceof Readable ? compressStream(payload, encoding) : compressBuffer(payload, encoding);
}

function isCompressible(request: FastifyRequest, reply: FastifyReply, payload: Payload): boolean {
  const isLarge =
    typeof payload === 'string' || Buffer.isBuffer(payload)
      ? payload.length >= WORTHWHILE_BYTES
      : payload instanceof Readable || (request.method === 'HEAD' && lengthOf(reply) >= WORTHWHILE_BYTES);
  return (
    isLarge &&
    reply.statusCode !== 206 &&
    TEXT.test(String(reply.getHeader('content-type') ?? '')) &&
    !reply.hasHeader('content-encoding')
  );
}

function lengthOf(reply: FastifyReply): number {
  return Number(reply.getHeader('content-length') ?? 0);
}

/**
 * The tag of a file names its bytes; compressed ones are other bytes of the same content, which is what a weak tag means.
 */
function describe(reply: FastifyReply, encoding: Encoding): void {
  reply.header('content-encoding', encoding);
  reply.removeHeader('content-length');
  reply.removeHeader('accept-ranges');
  const tag = reply.getHeader('etag');
  if (typeof tag === 'string' && !tag.startsWith('W/')) reply.header('etag', `W/${tag}`);
}

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

function compressBuffer(payload: string | Buffer, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br' ? brotliAsync(payload, BROTLI) : gzipAsync(payload, GZIP);
}

function compressStream(source: Readable, encoding: Encoding): Readable {
  const packer = encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP);
  source.once('error', (error) => packer.destroy(error));
  packer.once('close', () => source.destroy());
  return source.pipe(packer);
}

function joined(present: unknown, field: string): string {
  return typeof present === 'string' && present !== '' ? `${present}, ${field}` : field;
}
