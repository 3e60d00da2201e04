import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DamagedError, FormatError, SOURCE_FORMATS, TooLargeError, unpack } from '@contrails/flights';
import type { App } from '@contrails/platform/http/app';
import { ProblemError } from '@contrails/platform/http/problem';
import { withFolder } from '@contrails/platform/workspace';
import { CancelledError, ValidationError } from '@contrails/runtime/errors';
import { boolean } from '@contrails/runtime/options/boolean';
import { choice } from '@contrails/runtime/options/choice';
import { byDefault, optional } from '@contrails/runtime/options/parameter';
import { body, query } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { type TSchema, Type } from 'typebox';
import type { Services } from '../../../services.ts';
import { LATENESS_MS, type TelemetryRules } from '../../../telemetry-store/config.ts';
import { checkFormat } from '../../../telemetry-store/sources.ts';
import { applyBatch, type BatchReceipt } from '../ingest/batch.ts';
import { pathReader } from '../ingest/import.ts';

const parameters = {
  source: byDefault(
    text({
      description: 'Name of the source, used in counts and metrics.',
      maxLength: 64,
      pattern: /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
      accepted: '1 to 64 letters, digits, dots, dashes and underscores',
      examples: ['roof'],
    }),
    'push',
  ),
  format: optional(choice(SOURCE_FORMATS, 'Format of the reports; default: recognised from the content.')),
  strict: optional(
    boolean(
      'Refuses an incomplete batch (truncated, or with a wrong checksum) with 400, instead of storing the preceding records; default: as the source is configured.',
    ),
  ),
};

const receipt = Type.Object(
  {
    batch: Type.String({
      description: 'Id of the batch: the same bytes from the same source are the same batch.',
    }),
    duplicate: Type.Boolean({ description: 'Whether the batch was applied before, so nothing changed.' }),
    records: Type.Integer({ description: 'Total number of accepted and refused records.' }),
    accepted: Type.Integer(),
    refused: Type.Record(Type.String(), Type.Integer(), { description: 'Refused records by code.' }),
    truncated: Type.Optional(
      Type.String({
        description:
          'Why the batch is incomplete: it is truncated, or a checksum is wrong. Preceding records are stored, the rest is lost. Absent if the batch is complete.',
      }),
    ),
  },
  {
    title: 'BatchReceipt',
    description: 'Result of a batch. Once you receive it, the reports are stored durably.',
    examples: [
      {
        batch: '5f0c6d1f2b7e4c0d9a3e8b1d6c2f4a70',
        duplicate: false,
        records: 1200,
        accepted: 1150,
        refused: { on_ground: 38, missing_position: 12 },
      },
    ],
  },
);

const keyed = (description: string, properties: Record<string, TSchema>) =>
  Type.Object(properties, { description, additionalProperties: true });
const list = Type.Array(Type.Unknown());

/** What makes a JSON object one of the formats; each of its records is judged for itself. */
const jsonReports = Type.Union([
  keyed('`aircraft.json` of readsb and tar1090.', { aircraft: list }),
  keyed('Version 2 of the API of aggregators.', { ac: list }),
  keyed('`trace_full_*.json` of readsb: one aircraft.', { trace: list }),
  keyed('`/states/all` of OpenSky.', { states: Type.Union([list, Type.Null()]) }),
  keyed('One report of the table, as a line of NDJSON.', {
    icao_address: Type.Unknown(),
    timestamp: Type.Unknown(),
  }),
  keyed('One message of the target stream, as a line of NDJSON.', {
    target: Type.Object({}, { additionalProperties: true }),
  }),
]);

const bytes = (description: string) =>
  Type.String({ format: 'binary', description: `${description} Other bytes return 400.` });

const MEDIA_TYPES: Readonly<Record<string, TSchema>> = {
  'application/octet-stream': bytes('Reports in any format, also compressed or in an archive.'),
  'application/json': jsonReports,
  'application/x-ndjson': bytes('One report in each line.'),
  'application/vnd.apache.parquet': bytes('The table.'),
  'text/csv': bytes(
    'The table, or state vectors of OpenSky, with the names of the columns in the first line.',
  ),
};

/** The handler gets the stream for any type: the content decides the format. */
const reports = {
  content: Object.fromEntries(
    Object.entries(MEDIA_TYPES).map(([type, schema]) => [
      type,
      { schema: body(schema, (raw) => raw ?? undefined) },
    ]),
  ),
};

/** Reports that clients post. The body goes to a file as it arrives, so memory does not depend on its size. */
export function serveIngest(
  app: App,
  services: Pick<Services, 'database' | 'store'>,
  rules: TelemetryRules,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.post(
    '/v1/adsb/ingest',
    {
      config: { scope: 'adsb:write' },
      bodyLimit: rules.batchLimitBytes,
      schema: {
        tags: ['adsb'],
        summary: 'Post ADS-B reports',
        description:
          'Stores a batch of reports in any format that `contrails adsb read` reads, plain, compressed, or with `Content-Encoding: gzip` or `zstd`. `telemetry.batch_limit_mib` limits the decompressed bytes. If you receive no response, send the same batch again: it is applied only once.',
        querystring: query(parameters),
        body: reports,
        response: { 200: receipt },
      },
    },
    async (request, reply) => {
      const { source, format, strict } = request.query;
      const feed = rules.feeds.find(({ name }) => name === source);
      const wanted = format ?? checkFormat(feed?.format, `telemetry.sources.${source}.format`);
      try {
        const applied = await withFolder('ingest', async (folder) => {
          const path = join(folder, 'batch');
          const encoding = request.headers['content-encoding'];
          const sha256 = await spool(
            (request.body ?? undefined) as Readable | undefined,
            path,
            encoding,
            rules.batchLimitBytes,
          );
          const receivedMs = Date.now();
          const { memoryMiB, closeAfterMs } = rules;
          return applyBatch(
            services,
            {
              source,
              format: wanted ?? '',
              name: `post of ${request.key.name}`,
              sha256,
              isLive: false,
              receivedMs,
            },
            await pathReader(path, {
              format: wanted,
              name: 'the body',
              nowMs: receivedMs,
              maxDecompressedBytes: rules.batchLimitBytes,
            }),
            {
              memoryMiB,
              closeAfterMs,
              latenessMs: feed?.latenessMs ?? LATENESS_MS.receiver,
              isStrict: strict ?? feed?.isStrict ?? false,
            },
          );
        });
        return reply.send(shown(applied));
      } catch (error) {
        if (error instanceof TooLargeError) throw tooLarge(rules.batchLimitBytes);
        if (!(error instanceof FormatError)) throw error;
        throw new ValidationError([{ loc: ['body'], msg: error.message, type: 'format' }]);
      }
    },
  );
}

function shown({ batch, duplicate, records, accepted, refused, truncated }: BatchReceipt) {
  const receipt = { batch, duplicate, records, accepted, refused: { ...refused } };
  return truncated === null ? receipt : { ...receipt, truncated };
}

/** Writes the decompressed body to a file; returns its SHA-256. */
async function spool(
  payload: Readable | undefined,
  path: string,
  encoding: string | undefined,
  limitBytes: number,
): Promise<string> {
  if (payload === undefined) {
    throw new ValidationError([
      { loc: ['body'], msg: 'the body is empty; send reports in it', type: 'missing' },
    ]);
  }
  const hash = createHash('sha256');
  let size = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      if (size > limitBytes) done(tooLarge(limitBytes));
      else done(null, chunk);
    },
  });
  // The body itself is not part of the pipeline: it would be destroyed with it, and the client would get no answer.
  const entry = new PassThrough();
  const abort = () =>
    entry.destroy(payload.errored ?? new CancelledError('the client closed the connection'));
  payload.once('error', abort).once('close', () => {
    if (!payload.readableEnded) abort();
  });
  const decoded = decode(entry, encoding, limitBytes);
  try {
    payload.pipe(entry);
    await pipeline(decoded, limit, createWriteStream(path));
  } catch (error) {
    payload.unpipe(entry);
    payload.resume();
    if (error instanceof TooLargeError) throw tooLarge(limitBytes);
    if (!(error instanceof DamagedError)) throw error;
    const msg = `the body is not compressed as Content-Encoding says: ${error.message}; compress it again`;
    throw new ValidationError([{ loc: ['body'], msg, type: 'encoding' }]);
  }
  return hash.digest('hex');
}

function decode(
  bytes: Readable,
  encoding: string | undefined,
  limitBytes: number,
): AsyncIterable<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return bytes;
  if (name === 'gzip' || name === 'x-gzip') return unpack(bytes, 'gzip', limitBytes);
  if (name === 'zstd') return unpack(bytes, 'zstd', limitBytes);
  throw new ProblemError(
    'unsupported-media-type',
    'reports may be compressed with gzip or zstd; send one of them as Content-Encoding, or none',
    { headers: { 'accept-encoding': 'gzip, zstd' } },
  );
}

function tooLarge(limitBytes: number): ProblemError {
  return new ProblemError(
    'payload-too-large',
    `the body is larger than ${Math.floor(limitBytes / 2 ** 20)} MiB after decompression (telemetry.batch_limit_mib); send it in smaller batches`,
  );
}
