/** The inventory over HTTP: whole files as they are stored, smaller ones cut by filters, and what is missing from them. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type ColumnSpec, LEG_COLUMNS, SEGMENT_COLUMNS, SUMMARY_COLUMNS } from '@contrails/flights/inventory';
import { type DuckDbChunk, sqlPath } from '@contrails/formats';
import { preferredType } from '@contrails/platform/http/accept';
import type { App, Routes } from '@contrails/platform/http/app';
import { createCutFiles } from '@contrails/platform/http/cut-files';
import { type File, sendFile, storedFile } from '@contrails/platform/http/files';
import { fileResponses } from '@contrails/platform/http/openapi-responses';
import { ProblemError } from '@contrails/platform/http/problem';
import { localCopy, withWorkspace } from '@contrails/platform/workspace';
import { HOUR_MS, isoDate } from '@contrails/runtime';
import { choice } from '@contrails/runtime/options/choice';
import { list } from '@contrails/runtime/options/list';
import { number } from '@contrails/runtime/options/number';
import { byDefault, optional } from '@contrails/runtime/options/parameter';
import { query } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { hourTime, time } from '@contrails/runtime/options/time';
import { Type } from 'typebox';
import type { InventoryConfig } from '../../inventory-store/config.ts';
import { type RunFile, type RunManifest, readRunManifest } from '../../inventory-store/manifest.ts';
import { exportFlights } from './export.ts';
import {
  conditionsOf,
  LEG_FILTERS,
  parametersOf,
  SEGMENT_FILTERS,
  SUMMARY_PARAMETERS,
  summaryConditions,
} from './filters.ts';
import { selectedColumns, TABLE_FORMATS, type TableSelection, writeTable } from './flights-table.ts';
import { type DayServices, notFound, requireRun, requireRuns } from './published-days.ts';
import { findDate, listDates } from './run/state.ts';
import { completenessSchema, flightSchema, rejectionsSchema } from './schema.ts';
import { serveTotals } from './totals.ts';

const PARQUET = 'application/vnd.apache.parquet';
const CSV = 'text/csv';
const MEMORY_MIB = 256;
/** Days of one table of flights. */
const MAX_DAYS = 31;

const run = optional(
  text({
    maxLength: 64,
    pattern: /^[0-9a-f]+$/,
    accepted: 'the run_id of a file',
    description: 'A run that was served before; default: the current one.',
  }),
);

const columnsOf = (columns: readonly ColumnSpec[]) =>
  optional(
    list(choice(columns.map(({ name }) => name) as [string, ...string[]]), {
      description: 'Only these columns, in the order of the table.',
      maxItems: 200,
    }),
  );

export function inventoryRoutes(services: DayServices, config: InventoryConfig): Routes {
  return (app) => {
    const files = createCutFiles();
    app.addHook('onClose', () => files.close());
    serveSummary(app, services, files);
    serveSegments(app, services, files);
    serveLegs(app, services, files);
    serveTotals(app, services, files);
    serveFlight(app, services, config);
    serveDates(app, services);
    serveCompleteness(app, services);
  };
}

type CutFiles = ReturnType<typeof createCutFiles>;

function serveSummary(app: App, services: DayServices, files: CutFiles): void {
  app.get(
    '/v1/inventory/summary',
    {
      config: { scope: 'inventory', problems: ['not-found'] },
      schema: {
        tags: ['inventory'],
        summary: 'Flights of a day with their contrail climate impact',
        description: `One row for each flight that begins on the date, or on one of up to ${MAX_DAYS} \`days\` from then on, ordered by time and identifier: as Parquet, or as CSV with \`format=csv\` or \`Accept: text/csv\`. A flight without a contrail has a forcing of 0; a flight that was not analysed has no row and is listed by \`/v1/inventory/rejections\`.`,
        querystring: query({
          date: time('The day; the time of day is ignored.'),
          days: byDefault(
            number({
              integer: true,
              minimum: 1,
              maximum: MAX_DAYS,
              description: 'Number of days; those without an inventory are omitted.',
            }),
            1,
          ),
          run,
          ...SUMMARY_PARAMETERS,
          columns: columnsOf(SUMMARY_COLUMNS),
          format: optional(
            choice(TABLE_FORMATS, 'Parquet or CSV. Default: what `Accept` prefers, else Parquet.'),
          ),
        }),
        response: fileResponses('The flights.', {
          [PARQUET]: { schema: Type.String({ format: 'binary' }) },
          [CSV]: { schema: Type.String() },
        }),
      },
    },
    async (request, reply) => {
      const { date, days, run: runId, columns, format: given, ...filters } = request.query;
      const format =
        given ?? (preferredType(request.headers.accept, [PARQUET, CSV]) === CSV ? 'csv' : 'parquet');
      const manifests = await runsOf(services, date, days, runId);
      const file = await fileOf(services, files, manifests, ({ summary }) => summary, {
        table: SUMMARY_COLUMNS,
        columns,
        conditions: summaryConditions(filters),
        format,
      });
      const name = `${isoDate(date)}${days === 1 ? '' : `_${days}-days`}`;
      reply.header('vary', 'accept');
      return sendFile(request, reply, file, {
        contentType: format === 'csv' ? CSV : PARQUET,
        name: `inventory_summary_${name}.${format}`,
      });
    },
  );
}

/** The runs of a request for one day, or for several. */
async function runsOf(
  services: DayServices,
  date: number,
  days: number,
  runId: string | undefined,
): Promise<readonly RunManifest[]> {
  if (days === 1) return [await requireRun(services, isoDate(date), runId)];
  if (runId === undefined) return (await requireRuns(services, date, days)).manifests;
  throw new ProblemError('not-found', `a run is of one day; leave run=${runId} or days=${days} out`);
}

function serveSegments(app: App, services: DayServices, files: CutFiles): void {
  app.get(
    '/v1/inventory/segments',
    {
      config: { scope: 'inventory:segments', problems: ['not-found'] },
      schema: {
        tags: ['inventory'],
        summary: 'Flight minutes of one hour and their contrail climate impact',
        description:
          'One row for each minute of flight that begins in the hour, as Parquet, ordered by time and identifier. The forcing is that of the contrail formed in this minute over its whole lifetime. Flights that began on the previous day are in the summary of that day.',
        querystring: query({
          date: hourTime('The hour.'),
          run,
          ...parametersOf(SEGMENT_FILTERS),
          columns: columnsOf(SEGMENT_COLUMNS),
        }),
        response: parquetResponses('The minutes.'),
      },
    },
    async (request, reply) => {
      const { date, run: runId, columns, ...given } = request.query;
      const day = isoDate(date);
      const manifest = await requireRun(services, day, runId);
      const hour = String(Math.floor(date / HOUR_MS) % 24).padStart(2, '0');
      const stored = manifest.segments[hour];
      if (stored === undefined) throw new RangeError(`the run ${manifest.run_id} has no hour ${hour}`);
      const conditions = conditionsOf(SEGMENT_FILTERS, given);
      const selection = { table: SEGMENT_COLUMNS, columns, conditions, format: 'parquet' } as const;
      const file = await fileOf(services, files, [manifest], () => stored, selection);
      return sendFile(request, reply, file, {
        contentType: PARQUET,
        name: `inventory_segments_${day}T${hour}.parquet`,
      });
    },
  );
}

function serveLegs(app: App, services: DayServices, files: CutFiles): void {
  app.get(
    '/v1/inventory/rejections',
    {
      config: { scope: 'inventory:segments', problems: ['not-found'] },
      schema: {
        tags: ['inventory'],
        summary: 'Telemetry legs of a day that are not in the inventory, with reasons',
        description:
          'As JSON, the legs that begin on the date and are not in the inventory: outcome, all findings, and the effects of healing. `outcome` selects other legs, including `ok` and `partial`. As Parquet (`format=parquet`), one row for each leg, regardless of its outcome.',
        querystring: query({
          date: time('The day; the time of day is ignored.'),
          run,
          ...parametersOf(LEG_FILTERS),
          columns: columnsOf(LEG_COLUMNS),
          format: byDefault(choice(['json', 'parquet'], 'JSON, or the table as Parquet.'), 'json'),
        }),
        response: fileResponses('The legs.', {
          'application/json': { schema: rejectionsSchema },
          [PARQUET]: { schema: Type.String({ format: 'binary' }) },
        }),
      },
    },
    async (request, reply) => {
      const { date, run: runId, columns, format, ...given } = request.query;
      const day = isoDate(date);
      const manifest = await requireRun(services, day, runId);
      const conditions = conditionsOf(LEG_FILTERS, given);
      if (format === 'json') {
        const selected = given.outcome === undefined ? [...conditions, NOT_IN_INVENTORY] : conditions;
        const list = await rejectionsFile(services, files, manifest, columns, selected);
        return sendFile(request, reply, list, {
          contentType: 'application/json',
          name: `inventory_rejections_${day}.json`,
        });
      }
      const selection = { table: LEG_COLUMNS, columns, conditions, format } as const;
      const file = await fileOf(services, files, [manifest], ({ legs }) => legs, selection);
      return sendFile(request, reply, file, { contentType: PARQUET, name: `inventory_legs_${day}.parquet` });
    },
  );
}

function serveFlight(app: App, services: DayServices, { inventory }: InventoryConfig): void {
  app.get(
    '/v1/inventory/flight',
    {
      config: { scope: 'inventory:segments', problems: ['not-found'] },
      schema: {
        tags: ['inventory'],
        summary: 'Model input of an inventory flight',
        description:
          'The body of a request: post it to `/v0/trajectory/cocip` for the energy forcing of the inventory, or to `/v1/planning/profile` for the effect of another profile.',
        querystring: query({
          date: time('The day on which the flight begins; the time of day is ignored.'),
          flight_id: text({
            maxLength: 64,
            pattern: /^[A-Za-z0-9_-]+$/,
            accepted: 'the flight_id of a row of the summary',
            description: 'Id of the flight.',
            examples: ['6f1c7b0e-3a55-4e1b-9f7a-2d0c7c2f9a11'],
          }),
        }),
        response: { 200: flightSchema },
      },
    },
    async (request) => {
      const { date, flight_id: id } = request.query;
      const day = isoDate(date);
      await requireRun(services, day);
      let found: object | undefined;
      const wanted = { date: day, flightIds: [id], memoryMiB: inventory.memory_mib };
      await exportFlights(services, wanted, async (body) => {
        found = body;
      });
      if (found !== undefined) return found;
      throw new ProblemError(
        'not-found',
        `the flight ${id} ends after midnight, and the inventory of the next day is not published with it; ask again when it is`,
        { members: { reason: 'incomplete' } },
      );
    },
  );
}

function serveDates(app: App, { database }: Pick<DayServices, 'database'>): void {
  app.get(
    '/v1/inventory/dates',
    {
      config: { scope: 'inventory' },
      schema: {
        tags: ['inventory'],
        summary: 'Days in the inventory',
        description: 'All known dates in ascending order, with their state and whether a run is served.',
        response: {
          200: Type.Object(
            {
              dates: Type.Array(
                Type.Object({
                  date: Type.String({ format: 'date' }),
                  state: Type.String(),
                  message: Type.String(),
                  served: Type.Boolean({ description: 'Whether `summary` and `segments` return it.' }),
                }),
              ),
            },
            { title: 'InventoryDates' },
          ),
        },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-cache');
      const dates = await listDates(database);
      return {
        dates: dates.map(({ date, state, message, runId }) => ({
          date,
          state,
          message,
          served: runId !== null,
        })),
      };
    },
  );
}

const NOT_IN_INVENTORY = `outcome NOT IN ('ok', 'partial')`;

/** Legs as JSON, written row by row: a day of the world has tens of thousands. */
function rejectionsFile(
  { store }: DayServices,
  files: CutFiles,
  { date, run_id, status, processed_at, legs }: RunManifest,
  columns: readonly string[] | undefined,
  conditions: readonly string[],
): Promise<File> {
  const selected = LEG_COLUMNS.filter(({ name }) => columns === undefined || columns.includes(name));
  const list = selected.map(({ name }) => `"${name}"`).join(', ');
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return files.open(`json ${legs.sha256} ${list} ${where}`, Date.parse(processed_at), (path) =>
    withWorkspace({ memoryMiB: MEMORY_MIB, threads: 1 }, async ({ duckdb, directory }) => {
      const source = await localCopy(store, legs.key, directory);
      const chunks = duckdb.chunks(
        `SELECT ${list} FROM read_parquet(${sqlPath(source)}, hive_partitioning = false) ${where}
         ORDER BY first_time, flight_id`,
      );
      await pipeline(async function* () {
        yield `${JSON.stringify({ date, run_id, status }).slice(0, -1)},"rejections":[`;
        let separator = '\n';
        for await (const chunk of chunks) {
          const values = selected.map((column, k) => jsonValues(chunk, column, k));
          for (let row = 0; row < chunk.rowCount; row++) {
            const leg = Object.fromEntries(selected.map(({ name }, k) => [name, values[k]?.[row]]));
            yield `${separator}${JSON.stringify(leg)}`;
            separator = ',\n';
          }
        }
        yield '\n]}\n';
      }, createWriteStream(path));
    }),
  );
}

function jsonValues(chunk: DuckDbChunk, { name, type }: ColumnSpec, column: number): unknown[] {
  if (type === 'timestamp') return Array.from(chunk.numbers(column), (ms) => new Date(ms).toISOString());
  if (type !== 'string') return Array.from(chunk.numbers(column));
  const texts = chunk.texts(column);
  if (name === 'codes') return texts.map((text) => (text ?? '').split(',').filter((code) => code !== ''));
  if (name === 'healing' || name === 'settings')
    return texts.map((text) => (text === null ? null : JSON.parse(text)));
  return texts;
}

function serveCompleteness(app: App, { database, store }: DayServices): void {
  app.get(
    '/v1/inventory/completeness',
    {
      config: { scope: 'inventory', problems: ['not-found'] },
      schema: {
        tags: ['inventory'],
        summary: 'Completeness of the telemetry of a day, in counts and minutes',
        description:
          'Telemetry, legs and minutes by outcome, totals and plausibility checks of the served run, and the state of the date. A date without a run has only its state.',
        querystring: query({ date: time('The day; the time of day is ignored.'), run }),
        response: {
          200: Type.Object(
            {
              date: Type.String(),
              state: Type.String(),
              message: Type.String(),
              completeness: completenessSchema,
            },
            { title: 'InventoryCompleteness' },
          ),
        },
      },
    },
    async (request) => {
      const date = isoDate(request.query.date);
      const [known, manifest] = await Promise.all([
        findDate(database, date),
        readRunManifest(store, date, request.query.run),
      ]);
      if (known === undefined && manifest === undefined) throw await notFound({ database }, date);
      return {
        date,
        state: known?.state ?? 'published',
        message: known?.message ?? '',
        completeness: manifest?.completeness ?? null,
      };
    },
  );
}

const parquetResponses = (description: string) =>
  fileResponses(description, { [PARQUET]: { schema: Type.String({ format: 'binary' }) } });

/** The stored file itself, or what the selection leaves of the files of some runs. */
function fileOf(
  { store }: DayServices,
  files: CutFiles,
  manifests: readonly RunManifest[],
  storedIn: (manifest: RunManifest) => RunFile,
  selection: TableSelection,
): Promise<File> {
  const { columns, conditions, format } = selection;
  const stored = manifests.map(storedIn);
  const [only] = stored;
  if (
    stored.length === 1 &&
    only !== undefined &&
    columns === undefined &&
    conditions.length === 0 &&
    format === 'parquet'
  )
    return storedFile(store, only.key);
  const modifiedMs = Math.max(...manifests.map(({ processed_at }) => Date.parse(processed_at)));
  const hashes = stored.map(({ sha256 }) => sha256).join(' ');
  const subject = `${format} ${hashes} ${selectedColumns(selection)} ${conditions.join(' AND ')}`;
  return files.open(subject, modifiedMs, (path) => writeTable(store, stored, selection, path));
}
