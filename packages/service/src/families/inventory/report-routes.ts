/** `/v1/inventory/reports`: reports on the flights of an operator, computed as jobs. */

import type { IncomingMessage } from 'node:http';
import type { App } from '@contrails/platform/http/app';
import { sendFile, storedFile } from '@contrails/platform/http/files';
import { fileResponses } from '@contrails/platform/http/openapi-responses';
import { ProblemError } from '@contrails/platform/http/problem';
import type { JobRecord, Jobs } from '@contrails/platform/jobs';
import { JOB_STATES } from '@contrails/platform/jobs/jobs';
import { clientError, RESULT_HOURS } from '@contrails/platform/jobs/results';
import type { Store } from '@contrails/platform/store';
import { isoDate } from '@contrails/runtime';
import { NotFoundError } from '@contrails/runtime/errors';
import { isRecord } from '@contrails/runtime/is-record';
import { choice } from '@contrails/runtime/options/choice';
import { body, path } from '@contrails/runtime/options/query';
import { ErrorList, Rejected } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import { text } from '@contrails/runtime/options/text';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  enqueueReport,
  REPORT_FILES,
  type ReportFileName,
  type ReportRequest,
  type ReportResult,
  reportFileKey,
  reportKind,
  type SentTable,
} from './mrv-reports.ts';

export interface ReportRouteServices {
  readonly jobs: Pick<Jobs, 'enqueue' | 'get'>;
  readonly store: Store;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const RULES = ['reduced', 'full', 'all'] as const;
const MAX_DAYS = 366;
const POLL_SECONDS = 2;

const CONTENT: Readonly<Record<ReportFileName, string>> = {
  'report.html': 'text/html; charset=utf-8',
  'flights.csv': 'text/csv; charset=utf-8',
  'flights.parquet': 'application/vnd.apache.parquet',
  'out-of-scope.csv': 'text/csv; charset=utf-8',
  'summary.json': 'application/json',
  'methods.md': 'text/markdown; charset=utf-8',
  'manifest.json': 'application/json',
  'pack.zip': 'application/zip',
};

const day = (description: string) => Type.String({ pattern: DAY.source, description });

const form = Type.Object(
  {
    request: Type.Object(
      {
        operator: Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'IATA or ICAO code of the airline, or the value of the column operator.',
        }),
        from: day('First day of departure, UTC.'),
        to: day(`Last day of departure, UTC; at most ${MAX_DAYS} days.`),
        scope: Type.Optional(
          Type.Unsafe({
            type: 'string',
            enum: [...RULES],
            description: 'Flights to report, overriding the rule of the day.',
          }),
        ),
        efficacy: Type.Optional(
          Type.Boolean({ description: 'Whether the figures on the page include efficacy.', default: true }),
        ),
      },
      { description: 'JSON.' },
    ),
    flights: Type.Optional(
      Type.String({ format: 'binary', description: 'Flights of the operator, CSV or Parquet.' }),
    ),
    trajectories: Type.Optional(
      Type.String({ format: 'binary', description: 'Waypoints of these flights, CSV or Parquet.' }),
    ),
  },
  { title: 'ReportForm' },
);

const state = Type.Object(
  {
    id: Type.String(),
    state: Type.Unsafe({ type: 'string', enum: [...JOB_STATES] }),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    error: Type.Optional(Type.String({ description: 'Why it failed, and what to do about it.' })),
    files: Type.Array(
      Type.Object({
        name: Type.String(),
        bytes: Type.Integer(),
        url: Type.String({ description: 'Path of the file.' }),
      }),
      {
        description: `Files of the report, empty until it is done; they are kept for ${RESULT_HOURS} hours.`,
      },
    ),
  },
  { title: 'Report', description: 'A report with its state and files.' },
);

const accepted = Type.Object(
  { id: Type.String(), state: Type.String(), location: Type.String() },
  { title: 'AcceptedReport' },
);

const params = {
  id: text({ description: 'The report, as given in `Location` of the 202 response.', maxLength: 64 }),
};
const config = { scope: 'inventory:segments', problems: ['not-found'] } as const;
const tags = ['inventory'];

export function serveReports(app: App, services: ReportRouteServices): void {
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: IncomingMessage) =>
    readForm(request.headers['content-type'] ?? '', await app.collectBody(request, payload)),
  );
  app.post(
    '/v1/inventory/reports',
    {
      config,
      onRequest: async ({ headers }) => requireForm(headers['content-type']),
      schema: {
        operationId: 'createReport',
        tags,
        summary: 'Report on the non-CO2 effects of an operator',
        description:
          'Computes, in a job, the flights of an operator and any others found in its telemetry, as `contrails mrv report` does. The report is not approved by any authority.',
        body: {
          content: {
            'multipart/form-data': {
              schema: body<ReportRequest>(form, (raw) => (raw ?? missingForm()) as ReportRequest | Rejected),
            },
          },
        },
        response: {
          202: {
            description: 'The job that computes it.',
            headers: { Location: Type.String({ description: 'Path of the state of the job.' }) },
            content: { 'application/json': { schema: accepted } },
          },
        },
      },
    },
    async (request, reply) => {
      const id = await enqueueReport(services, request.body as ReportRequest, request.key.id);
      const location = `/v1/inventory/reports/${id}`;
      return reply
        .code(202)
        .headers({ location, 'retry-after': String(POLL_SECONDS) })
        .send({ id, state: 'queued', location });
    },
  );
  app.get(
    '/v1/inventory/reports/:id',
    {
      config,
      schema: {
        operationId: 'getReport',
        tags,
        params: path(params),
        summary: 'State and files of a report',
        description: 'State, progress from 0 to 1 and, when it is done, the files.',
        response: { 200: state },
      },
    },
    async ({ params: { id }, key }, reply) => {
      const job = await ownReport(services, id, key.id);
      reply.header('cache-control', 'no-store');
      if (job.finishedMs === null) reply.header('retry-after', String(POLL_SECONDS));
      const error = clientError(job);
      return {
        id: job.id,
        state: job.state,
        progress: job.state === 'done' ? 1 : job.progress,
        ...(error === undefined ? {} : { error }),
        files: filesOf(job).map((file) => ({ ...file, url: `/v1/inventory/reports/${job.id}/${file.name}` })),
      };
    },
  );
  app.get(
    '/v1/inventory/reports/:id/:file',
    {
      config,
      schema: {
        operationId: 'getReportFile',
        tags,
        params: path({
          ...params,
          file: choice(REPORT_FILES, 'File of the report, or pack.zip for all of them.'),
        }),
        summary: 'A file of a report',
        description: 'One file, or the whole folder as a ZIP archive; 404 until the report is done.',
        response: fileResponses(
          'The file.',
          Object.fromEntries(
            [...new Set(Object.values(CONTENT).map((type) => type.split(';')[0] as string))].map((type) => [
              type,
              { schema: Type.String({ format: 'binary' }) },
            ]),
          ),
        ),
      },
    },
    async (request, reply) => {
      const { id, file: name } = request.params;
      const job = await ownReport(services, id, request.key.id);
      if (filesOf(job).length === 0)
        throw new NotFoundError(`the report is ${job.state} and has no files; ask for its state`);
      const file = await storedFile(services.store, reportFileKey(job.id, name));
      return sendFile(request, reply, file, { contentType: CONTENT[name], name });
    },
  );
}

/** Does not reveal whether a report of another key exists. */
async function ownReport({ jobs }: ReportRouteServices, id: string, keyId: string): Promise<JobRecord> {
  const job = /^[\w-]+$/.test(id) ? await jobs.get(id) : undefined;
  if (job !== undefined && job.owner === keyId && job.kind === reportKind.name) return job;
  throw new NotFoundError(
    'this key has no such report; it may have been forgotten, or belongs to another key',
  );
}

function filesOf({ state: now, result }: JobRecord): ReportResult['files'] {
  return now === 'done' ? ((result as ReportResult | null)?.files ?? []) : [];
}

/** JSON, which other routes take, is never read as a form. */
function requireForm(type: string | undefined): void {
  if (type === undefined || /^multipart\/form-data\s*(;|$)/i.test(type)) return;
  throw new ProblemError('unsupported-media-type', `${type} is not read; send multipart/form-data`);
}

function missingForm(): Rejected {
  return new Rejected([
    {
      loc: ['body'],
      msg: 'the body is missing; send multipart/form-data with the part request',
      type: 'missing',
    },
  ]);
}

async function readForm(type: string, sent: Buffer): Promise<ReportRequest | Rejected> {
  const parts = await new Response(new Uint8Array(sent), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw new ProblemError('bad-request', 'the body is not multipart/form-data as its Content-Type says');
    });
  const errors = new ErrorList();
  for (const name of new Set(parts.keys())) {
    const { length } = parts.getAll(name);
    if (!['request', 'flights', 'trajectories'].includes(name))
      errors.addField(
        name,
        undefined,
        () => `${name} is not a part; send request, flights and trajectories`,
        'unknown',
      );
    else if (length > 1)
      errors.addField(name, undefined, () => `${name} was given ${length} times; give it once`, 'repeated');
  }
  const scope = readScope(await textOf(parts.get('request')), errors);
  const table = async (name: 'flights' | 'trajectories') => {
    const value = parts.get(name);
    if (value === null) return undefined;
    const bytes = typeof value === 'string' ? Buffer.from(value) : new Uint8Array(await value.arrayBuffer());
    if (bytes.length === 0)
      errors.addField(
        name,
        undefined,
        () => `${name} is empty; send CSV or Parquet, or leave it out`,
        'length',
      );
    return { bytes, ending: isParquet(bytes) ? 'parquet' : 'csv' } satisfies SentTable;
  };
  const [flights, trajectories] = [await table('flights'), await table('trajectories')];
  if (trajectories !== undefined && flights === undefined)
    errors.addField(
      'flights',
      undefined,
      () => 'flights is missing; trajectories belong to flights',
      'missing',
    );
  return errors.isEmpty ? { scope, flights, trajectories } : errors.rejected();
}

async function textOf(value: ReturnType<FormData['get']>): Promise<string | undefined> {
  if (value === null) return undefined;
  return typeof value === 'string' ? value : value.text();
}

const isParquet = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'PAR1';

function readScope(written: string | undefined, errors: ErrorList): ReportRequest['scope'] {
  const nothing = { operator: '', from: '', to: '' };
  const add = (name: string, msg: string) => errors.add(['body', 'request', name], msg, 'value_error');
  let raw: unknown;
  try {
    raw = written === undefined ? undefined : JSON.parse(written);
  } catch {
    raw = undefined;
  }
  if (!isRecord(raw)) {
    errors.addField(
      'request',
      undefined,
      () => 'request is not a JSON object with operator, from and to',
      'type',
    );
    return nothing;
  }
  const { operator, from, to, scope, efficacy, ...unknown } = raw;
  for (const name of Object.keys(unknown))
    add(name, `${name} is not known; send operator, from, to, scope, efficacy`);
  if (typeof operator !== 'string' || operator === '' || operator.length > 64)
    add('operator', `operator is ${shown(operator)}; send the code of an airline`);
  const isDay = (value: unknown): value is string =>
    typeof value === 'string' &&
    DAY.test(value) &&
    Number.isFinite(Date.parse(value)) &&
    isoDate(Date.parse(value)) === value;
  for (const [name, value] of [
    ['from', from],
    ['to', to],
  ] as const)
    if (!isDay(value)) add(name, `${name} is ${shown(value)}; send a day such as 2025-01-31`);
  if (isDay(from) && isDay(to)) {
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
    if (days < 1 || days > MAX_DAYS)
      add('to', `to is ${to}; send a day from ${from} on, at most ${MAX_DAYS} days`);
  }
  const rule = RULES.find((one) => one === scope);
  if (scope !== undefined && rule === undefined)
    add('scope', `scope is ${shown(scope)}; choose from ${RULES.join(', ')}`);
  if (efficacy !== undefined && typeof efficacy !== 'boolean')
    add('efficacy', `efficacy is ${shown(efficacy)}; send true or false`);
  if (!errors.isEmpty) return nothing;
  return {
    ...{ operator: String(operator), from: String(from), to: String(to) },
    ...(rule && { rule }),
    ...(typeof efficacy === 'boolean' && { efficacy }),
  };
}
