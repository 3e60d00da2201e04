/** The inventory over HTTP: whole files as they are stored, smaller ones cut by filters, and what is missing from them. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { readFooter, writeParquet } from '@contrails/engine/inventory/parquet';
import { type ColumnSpec, LEG_COLUMNS, SEGMENT_COLUMNS, SUMMARY_COLUMNS } from '@contrails/flights/inventory';
import { type DuckDbChunk, sqlPath, sqlText } from '@contrails/formats';
import type { App, Routes } from '@contrails/platform/http/app';
import { createCutFiles } from '@contrails/platform/http/cut-files';
import { type File, sendFile, storedFile } from '@contrails/platform/http/files';
import { fileResponses } from '@contrails/platform/http/openapi-responses';
import { ProblemError } from '@contrails/platform/http/problem';
import { localCopy, withWorkspace } from '@contrails/platform/workspace';
import { HOUR_MS, isoDate } from '@contrails/runtime';
import { boolean } from '@contrails/runtime/options/boolean';
import { choice } from '@contrails/runtime/options/choice';
import { list } from '@contrails/runtime/options/list';
import { byDefault, optional } from '@contrails/runtime/options/parameter';
import { query } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { hourTime, time } from '@contrails/runtime/options/time';
import { Type } from 'typebox';
import { type RunFile, type RunManifest, readRunManifest } from '../../inventory-store/manifest.ts';
import type { Services } from '../../services.ts';
import { findDate, listDates } from './run/state.ts';
import { completenessSchema, rejectionsSchema } from './schema.ts';

type RouteServices = Pick<Services, 'database' | 'store'>;

const PARQUET = 'application/vnd.apache.parquet';
const MAX_VALUES = 100;
const MEMORY_MIB = 256;
/** A date that is being computed is asked for again after this time. */
const RETRY_SECONDS = 300;

const words = (description: string, example: string) =>
  optional(
    list(
      text({
        maxLength: 40,
        pattern: /^[A-Za-z0-9_-]+$/,
        accepted: `letters, digits, dashes and underscores such as ${example}`,
        examples: [example],
      }),
      { description, maxItems: MAX_VALUES },
    ),
  );

const run = optional(
  text({
    maxLength: 64,
    pattern: /^[0-9a-f]+$/,
    accepted: 'the run_id of a file',
    description: 'A run that was served before; without it the current one.',
  }),
);

const columnsOf = (columns: readonly ColumnSpec[]) =>
  optional(
    list(choice(columns.map(({ name }) => name) as [string, ...string[]]), {
      description: 'Only these columns, in the order of the table.',
      maxItems: 200,
    }),
  );

/** Filters by the columns that they look at; of two columns one has to match. */
const FILTERS = {
  airline_iata: { columns: ['airline_iata'], parameter: words('Only flights of these airlines.', 'LX') },
  aircraft_type_icao: {
    columns: ['aircraft_type_icao'],
    parameter: words('Only these aircraft types.', 'A20N'),
  },
  engine_uid: { columns: ['engine_uid'], parameter: words('Only these engines.', '01P20CM128') },
  airport: {
    columns: ['departure_airport_icao', 'arrival_airport_icao'],
    parameter: words('Only flights from or to these airports.', 'LSZH'),
  },
  country: {
    columns: ['departure_country_iso', 'arrival_country_iso'],
    parameter: words('Only flights from or to these countries.', 'CH'),
  },
  continent: {
    columns: ['departure_continent_iso', 'arrival_continent_iso'],
    parameter: words('Only flights from or to these continents.', 'EU'),
  },
  icao_address: {
    columns: ['icao_address'],
    parameter: words('Only these transponder addresses.', '4B1800'),
  },
  flight_id: {
    columns: ['flight_id'],
    parameter: words('Only these flights.', '6f1c7b0e-3a55-4e1b-9f7a-2d0c7c2f9a11'),
  },
  outcome: { columns: ['outcome'], parameter: words('Only legs with these outcomes.', 'too_short') },
} as const;
type FilterName = keyof typeof FILTERS;

const SUMMARY_FILTERS = [
  'airline_iata',
  'aircraft_type_icao',
  'engine_uid',
  'airport',
  'country',
  'continent',
  'icao_address',
  'flight_id',
] as const;
const SEGMENT_FILTERS = [
  'airline_iata',
  'aircraft_type_icao',
  'engine_uid',
  'icao_address',
  'flight_id',
] as const;
const LEG_FILTERS = [
  'airline_iata',
  'aircraft_type_icao',
  'airport',
  'icao_address',
  'flight_id',
  'outcome',
] as const;

export function inventoryRoutes(services: RouteServices): Routes {
  return (app) => {
    const files = createCutFiles();
    app.addHook('onClose', () => files.close());
    serveSummary(app, services, files);
    serveSegments(app, services, files);
    serveLegs(app, services, files);
    serveDates(app, services);
    serveCompleteness(app, services);
  };
}

type CutFiles = ReturnType<typeof createCutFiles>;

function serveSummary(app: App, services: RouteServices, files: CutFiles): void {
  app.get(
    '/v1/inventory/summary',
    {
      config: { scope: 'inventory', problems: ['not-found'] },
      schema: {
        tags: ['inventory'],
        summary: 'Flights of a day with their contrail climate impact',
        description:
          'One row for each flight that begins on the date, as Parquet in the order of time and identifier. A flight without a contrail has a forcing of 0; a flight that was not analysed has no row and is listed by `/v1/inventory/rejections`.',
        querystring: query({
          date: time('The day; the time of day is ignored.'),
          run,
          ...parametersOf(SUMMARY_FILTERS),
          is_eu_mrv: optional(boolean('Only flights in, or not in, the scope of EU monitoring.')),
          columns: columnsOf(SUMMARY_COLUMNS),
        }),
        response: parquetResponses('The flights.'),
      },
    },
    async (request, reply) => {
      const { date, run: runId, columns, is_eu_mrv, ...given } = request.query;
      const day = isoDate(date);
      const manifest = await requireRun(services, day, runId);
      const conditions = [
        ...conditionsOf(SUMMARY_FILTERS, given),
        ...(is_eu_mrv === undefined ? [] : [`is_eu_mrv = ${is_eu_mrv}`]),
      ];
      const file = await fileOf(
        services,
        files,
        manifest,
        manifest.summary,
        SUMMARY_COLUMNS,
        columns,
        conditions,
      );
      return sendFile(request, reply, file, {
        contentType: PARQUET,
        name: `inventory_summary_${day}.parquet`,
      });
    },
  );
}

function serveSegments(app: App, services: RouteServices, files: CutFiles): void {
  app.get(
    '/v1/inventory/segments',
    {
      config: { scope: 'inventory:segments', problems: ['not-found'] },
      schema: {
        tags: ['inventory'],
        summary: 'Minutes of flight of one hour with their contrail climate impact',
        description:
          'One row for each minute of flight that begins in the hour, as Parquet in the order of time and identifier. The forcing is that of the contrail made in this minute over its whole life. Flights that began on the day before are in the summary of that day.',
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
      const file = await fileOf(services, files, manifest, stored, SEGMENT_COLUMNS, columns, conditions);
      return sendFile(request, reply, file, {
        contentType: PARQUET,
        name: `inventory_segments_${day}T${hour}.parquet`,
      });
    },
  );
}

function serveLegs(app: App, services: RouteServices, files: CutFiles): void {
  app.get(
    '/v1/inventory/rejections',
    {
      config: { scope: 'inventory:segments', problems: ['not-found'] },
      schema: {
        tags: ['inventory'],
        summary: 'Legs of the telemetry of a day that are not in the inventory, and why',
        description:
          'As JSON, the legs that begin on the date and are not in the inventory: outcome, all findings, and what healing did. `outcome` selects others, also `ok` and `partial`. As Parquet (`format=parquet`), one row for each leg, whatever its outcome.',
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
      const file = await fileOf(services, files, manifest, manifest.legs, LEG_COLUMNS, columns, conditions);
      return sendFile(request, reply, file, { contentType: PARQUET, name: `inventory_legs_${day}.parquet` });
    },
  );
}

function serveDates(app: App, { database }: Pick<RouteServices, 'database'>): void {
  app.get(
    '/v1/inventory/dates',
    {
      config: { scope: 'inventory' },
      schema: {
        tags: ['inventory'],
        summary: 'Which days the inventory has',
        description:
          'Every date that is known, with its state and whether a run of it is served, in ascending order.',
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
  { store }: RouteServices,
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

function serveCompleteness(app: App, { database, store }: RouteServices): void {
  app.get(
    '/v1/inventory/completeness',
    {
      config: { scope: 'inventory', problems: ['not-found'] },
      schema: {
        tags: ['inventory'],
        summary: 'What became of the telemetry of a day, in counts and minutes',
        description:
          'Telemetry, legs and minutes by outcome, totals and plausibility checks of the run that is served, and the state of the date. A date without a run has its state only.',
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

function parametersOf<Names extends readonly FilterName[]>(names: Names) {
  return Object.fromEntries(names.map((name) => [name, FILTERS[name].parameter])) as {
    [Name in Names[number]]: (typeof FILTERS)[Name]['parameter'];
  };
}

function conditionsOf(
  names: readonly FilterName[],
  given: Readonly<Partial<Record<FilterName, readonly string[] | undefined>>>,
): string[] {
  return names.flatMap((name) => {
    const values = given[name];
    if (values === undefined) return [];
    const cased = values.map((value) =>
      name === 'flight_id' || name === 'outcome' ? value : value.toUpperCase(),
    );
    const list = cased.map(sqlText).join(', ');
    return [`(${FILTERS[name].columns.map((column) => `${column} IN (${list})`).join(' OR ')})`];
  });
}

/** The stored file itself, or what the filters leave of it. */
function fileOf(
  { store }: RouteServices,
  files: CutFiles,
  manifest: RunManifest,
  stored: RunFile,
  table: readonly ColumnSpec[],
  columns: readonly string[] | undefined,
  conditions: readonly string[],
): Promise<File> {
  if (columns === undefined && conditions.length === 0) return storedFile(store, stored.key);
  const selected = table.filter(({ name }) => columns === undefined || columns.includes(name));
  const sql = `SELECT ${selected.map(({ name }) => `"${name}"`).join(', ')}`;
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return files.open(`${stored.sha256} ${sql} ${where}`, Date.parse(manifest.processed_at), (path) =>
    withWorkspace({ memoryMiB: MEMORY_MIB, threads: 1 }, async ({ duckdb, directory }) => {
      const source = await localCopy(store, stored.key, directory);
      const from = `read_parquet(${sqlPath(source)}, hive_partitioning = false)`;
      const footer = await readFooter(duckdb, source);
      const filter = conditions.join(' AND ');
      await writeParquet(duckdb, `${sql} FROM ${from} ${where}`, path, { ...footer, filter });
    }),
  );
}

async function requireRun(
  { store, database }: RouteServices,
  date: string,
  runId: string | undefined,
): Promise<RunManifest> {
  const manifest = await readRunManifest(store, date, runId);
  if (manifest !== undefined) return manifest;
  throw await notFound({ database }, date, runId);
}

/** The state of a date that is not served, with the dates that are. */
async function notFound(
  { database }: Pick<RouteServices, 'database'>,
  date: string,
  runId?: string,
): Promise<ProblemError> {
  const known = await findDate(database, date);
  const dates = (await listDates(database)).filter((one) => one.runId !== null).map((one) => one.date);
  const served =
    dates.length === 0 ? 'no date is served yet' : `served are dates from ${dates[0]} to ${dates.at(-1)}`;
  if (runId !== undefined && known?.runId != null) {
    return new ProblemError(
      'not-found',
      `${date} has no run ${runId}; the current one is ${known.runId}`,
      {},
    );
  }
  if (known === undefined) {
    return new ProblemError('not-found', `${date} is not in the inventory; ${served}`, {
      members: { reason: 'no_data' },
    });
  }
  return new ProblemError('not-found', `${date}: ${known.message}; ${served}`, {
    ...(known.state === 'computing' ? { headers: { 'retry-after': String(RETRY_SECONDS) } } : {}),
    members: { reason: known.state },
  });
}
