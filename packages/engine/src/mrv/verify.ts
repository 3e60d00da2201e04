/** Checks a report: hashes, version, parameters and weather, sums, and flights computed again. */
import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { sqlPath } from '@contrails/formats';
import { UsageError } from '@contrails/runtime/errors';
import { isRecord } from '@contrails/runtime/is-record';
import { MODELING_VERSION } from '../modeling-version.ts';
import {
  computeReport,
  type ReportHooks,
  type ReportServices,
  type ReportSettings,
  reportParameters,
  weatherIdOf,
} from './compute-report.ts';
import { type Cell, FLIGHT_COLUMNS, type FlightRow, NUMBER_COLUMNS } from './flight-row.ts';
import { contentHash, hashOf, type Manifest } from './pack.ts';
import { type Summary, sumsOf } from './summary.ts';
import { tableHashes } from './table-hashes.ts';

export interface Difference {
  readonly file: string;
  readonly flight_key?: string;
  readonly field?: string;
  readonly message: string;
}

export interface Verification {
  /** What differs of version, parameters and weather: numbers may differ for that. */
  readonly conditions: readonly Difference[];
  readonly differences: readonly Difference[];
  /** Flights that were computed again. */
  readonly recomputed: number;
  /** Largest deviation of each column, relative to the value or a millionth of the largest of the column. */
  readonly deviations: Readonly<Record<string, number>>;
}

export interface SampleSettings {
  /** Flights drawn in addition to the largest; all of them unless given. */
  readonly sample?: number;
  readonly seed: number;
}

const TOLERANCE = 1e-6;
const LARGEST = 5;

export async function verifyPack(
  services: ReportServices,
  folder: string,
  settings: ReportSettings,
  { sample, seed }: SampleSettings,
  hooks: ReportHooks = {},
): Promise<Verification> {
  const manifest = await readManifest(folder);
  const differences = await changedFiles(folder, manifest);
  const conditions = await changedConditions(services, manifest, settings);
  const [ofCsv, ofParquet] = [
    await readRows(services, join(folder, 'flights.csv')).catch(() => undefined),
    await readRows(services, join(folder, 'flights.parquet')).catch(() => undefined),
  ];
  const stored = ofCsv ?? ofParquet;
  if (stored === undefined) {
    const message = 'neither flights.csv nor flights.parquet can be read; no flight is computed again';
    return {
      conditions,
      differences: [...differences, { file: 'flights.csv', message }],
      recomputed: 0,
      deviations: {},
    };
  }
  if (ofCsv !== undefined && ofParquet !== undefined) differences.push(...compareTables(ofCsv, ofParquet));
  differences.push(...(await changedSums(folder, stored)));
  const keys = sample === undefined ? stored.map(keyOf) : drawn(stored, sample, seed);
  const inputs = Object.fromEntries(manifest.inputs.map(({ table, name }) => [table, join(folder, name)]));
  const again = await computeReport(
    services,
    inputs,
    manifest.request,
    { ...settings, ...manifest.scope },
    hooks,
    new Set(keys),
  ).catch((error: unknown) => {
    hooks.signal?.throwIfAborted();
    const changed = differences.find(({ file }) => file.startsWith('inputs/'));
    if (changed === undefined) throw error;
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    differences.push({
      file: changed.file,
      message: `flights cannot be computed again from ${changed.file}: ${reason}`,
    });
    return undefined;
  });
  if (again === undefined) return { conditions, differences, recomputed: 0, deviations: {} };
  const compared = compareRows(stored, again.rows, keys);
  return {
    conditions,
    differences: [...differences, ...compared.differences],
    recomputed: again.rows.length,
    deviations: compared.deviations,
  };
}

export async function readManifest(folder: string): Promise<Manifest> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    requireShape(manifest);
    return manifest;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `${folder} is not a report of this program (${reason}); give the folder of contrails mrv report`,
    );
  }
}

const RECORDS = ['parameters', 'request', 'scope', 'tables', 'files'];
const LISTS = ['weather', 'inputs'];

/** The sender of the folder wrote the manifest: it may lack anything, and name any file. */
function requireShape(manifest: unknown): asserts manifest is Manifest {
  const { schema, files, inputs, ...others } = isRecord(manifest) ? manifest : {};
  if (schema !== 1) throw new Error(`its schema is ${String(schema)}`);
  const all: Readonly<Record<string, unknown>> = { ...others, files, inputs };
  const missing = [
    ...RECORDS.filter((name) => !isRecord(all[name])),
    ...LISTS.filter((name) => !Array.isArray(all[name])),
  ];
  if (missing.length > 0) throw new Error(`its manifest has no ${missing.join(' and ')}`);
  const hashes = [...Object.entries(files as object), ...(inputs as unknown[]).map(nameAndHash)];
  for (const [name, hash] of hashes) {
    if (typeof name !== 'string' || isAbsolute(name) || name.split(/[\\/]/).includes('..'))
      throw new Error(`its manifest names ${String(name)}, which is not in the folder`);
    if (!isRecord(hash) || typeof hash.sha256 !== 'string')
      throw new Error(`its manifest has no hash of ${name}`);
  }
}

function nameAndHash(input: unknown): [unknown, unknown] {
  return isRecord(input) ? [input.name, input] : [undefined, input];
}

async function changedFiles(folder: string, manifest: Manifest): Promise<Difference[]> {
  const { files, inputs, sha256 } = manifest;
  const isChanged = sha256 !== undefined && sha256 !== contentHash(manifest);
  const own = {
    file: 'manifest.json',
    message: 'manifest.json was changed: its hash is not that of its contents',
  };
  const expected = [
    ...Object.entries(files).map(([name, { sha256 }]) => ({ name, sha256 })),
    ...inputs.map(({ name, sha256 }) => ({ name, sha256 })),
  ];
  const found = await Promise.all(
    expected.map(async ({ name, sha256 }) => {
      const hash = await hashOf(join(folder, name)).catch(() => undefined);
      if (hash === undefined) return { file: name, message: `${name} is missing` };
      return hash.sha256 === sha256
        ? undefined
        : { file: name, message: `${name} was changed: its hash is not that of the manifest` };
    }),
  );
  return [...(isChanged ? [own] : []), ...found.filter((one) => one !== undefined)];
}

async function changedConditions(
  services: ReportServices,
  manifest: Manifest,
  settings: ReportSettings,
): Promise<Difference[]> {
  const file = 'manifest.json';
  const now: Readonly<Record<string, unknown>> = { ...reportParameters(settings) };
  const parameters = Object.entries(manifest.parameters).flatMap(([field, value]) =>
    now[field] === value
      ? []
      : [
          {
            file,
            field,
            message: `${field} is ${String(value)} in the report and ${String(now[field])} here`,
          },
        ],
  );
  const own = tableHashes();
  const tables = Object.entries(manifest.tables).flatMap(([name, sha256]) =>
    own[name] === sha256
      ? []
      : [{ file, field: `tables.${name}`, message: `the table of ${name} is not the one that ships here` }],
  );
  const version =
    manifest.modeling_version === MODELING_VERSION
      ? []
      : [
          {
            file,
            field: 'modeling_version',
            message: `the report is of version ${manifest.modeling_version}, this is ${MODELING_VERSION}`,
          },
        ];
  const met = await services.met.open();
  const weather = await Promise.all(
    manifest.weather.map(async (use) => {
      const id = await weatherIdOf(met, use);
      if (id === use.id) return [];
      const what =
        id === undefined ? 'is not configured here' : 'has other data than the report was computed from';
      return [{ file, field: 'weather', message: `weather source ${use.source} ${what}` }];
    }),
  );
  return [...version, ...parameters, ...tables, ...weather.flat()];
}

export async function readRows(
  { duckdb }: Pick<ReportServices, 'duckdb'>,
  path: string,
): Promise<FlightRow[]> {
  const isParquet = path.endsWith('.parquet');
  const source = isParquet
    ? `read_parquet(${sqlPath(path)})`
    : `read_csv(${sqlPath(path)}, header = true, all_varchar = true, delim = ',')`;
  const rows = await duckdb.rows(`SELECT * FROM ${source}`);
  return rows.map((row) =>
    Object.fromEntries(
      FLIGHT_COLUMNS.map((name): [string, Cell] => {
        const value = row[name];
        if (value === null || value === undefined || value === '' || Number.isNaN(value)) return [name, null];
        return [name, NUMBER_COLUMNS.includes(name) ? Number(value) : String(value)];
      }),
    ),
  );
}

/** Compares the two tables of flights cell by cell. */
function compareTables(csv: readonly FlightRow[], parquet: readonly FlightRow[]): Difference[] {
  const others = new Map(parquet.map((row) => [keyOf(row), row]));
  const file = 'flights.csv';
  const keys = new Set(csv.map(keyOf));
  const missing = parquet.filter((row) => !keys.has(keyOf(row)));
  return [
    ...missing.map((row) => ({
      file,
      flight_key: keyOf(row),
      message: `flight ${keyOf(row)} is in flights.parquet and not in flights.csv`,
    })),
    ...csv.flatMap((row) => {
      const other = others.get(keyOf(row));
      if (other === undefined)
        return [{ file, flight_key: keyOf(row), message: `flight ${keyOf(row)} is not in flights.parquet` }];
      return FLIGHT_COLUMNS.filter((name) => (row[name] ?? '') !== (other[name] ?? '')).map((field) => ({
        file,
        flight_key: keyOf(row),
        field,
        message: `flight ${keyOf(row)}: ${field} is ${String(row[field])} in flights.csv and ${String(other[field])} in flights.parquet`,
      }));
    }),
  ];
}

async function changedSums(folder: string, rows: readonly FlightRow[]): Promise<Difference[]> {
  const file = 'summary.json';
  const totals = await readFile(join(folder, file), 'utf8')
    .then((text) => (JSON.parse(text) as Partial<Summary>).totals)
    .catch(() => undefined);
  if (totals === undefined) return [{ file, message: `${file} is not the summary of a report` }];
  const sums = sumsOf(rows);
  return Object.entries(sums).flatMap(([field, sum]) =>
    isClose(totals[field] ?? Number.NaN, sum, Math.abs(sum))
      ? []
      : [
          {
            file,
            field,
            message: `totals.${field} is ${String(totals[field])}, the sum of flights.csv is ${sum}`,
          },
        ],
  );
}

function compareRows(
  stored: readonly FlightRow[],
  again: readonly FlightRow[],
  keys: readonly string[],
): { differences: Difference[]; deviations: Record<string, number> } {
  const file = 'flights.csv';
  const [of, now] = [stored, again].map((rows) => new Map(rows.map((row) => [keyOf(row), row])));
  const deviations: Record<string, number> = {};
  const differences = keys.flatMap((key): Difference[] => {
    const [expected, row] = [of?.get(key), now?.get(key)];
    if (expected === undefined || row === undefined)
      return [{ file, flight_key: key, message: `flight ${key} is reported, and cannot be computed again` }];
    return FLIGHT_COLUMNS.flatMap((field): Difference[] => {
      const [a, b] = [row[field] ?? null, expected[field] ?? null];
      const message = `flight ${key}: ${field} is ${String(b)}, computed again it is ${String(a)}`;
      if (typeof a !== 'number' || typeof b !== 'number')
        return (a ?? '') === (b ?? '') ? [] : [{ file, flight_key: key, field, message }];
      const scale = Math.max(Math.abs(b), TOLERANCE * largestOf(stored, field));
      const deviation = scale === 0 ? Math.abs(a - b) : Math.abs(a - b) / scale;
      deviations[field] = Math.max(deviations[field] ?? 0, deviation);
      return deviation <= TOLERANCE ? [] : [{ file, flight_key: key, field, message }];
    });
  });
  return { differences, deviations };
}

const largest = new WeakMap<readonly FlightRow[], Map<string, number>>();

function largestOf(rows: readonly FlightRow[], field: string): number {
  const known = largest.get(rows) ?? new Map<string, number>();
  largest.set(rows, known);
  const found =
    known.get(field) ?? rows.reduce((max, row) => Math.max(max, Math.abs(Number(row[field] ?? 0))), 0);
  known.set(field, found);
  return found;
}

function isClose(a: number, b: number, scale: number): boolean {
  return Math.abs(a - b) <= TOLERANCE * Math.max(scale, Number.MIN_VALUE);
}

/** Some flights by the seed, and those with the largest effect. */
function drawn(rows: readonly FlightRow[], count: number, seed: number): string[] {
  const size = (row: FlightRow) => Math.abs(Number(row.non_co2_co2e100_kg ?? 0));
  const large = [...rows].sort((a, b) => size(b) - size(a)).slice(0, LARGEST);
  const random = generator(seed);
  const shuffled = rows.map((row) => ({ row, at: random() })).sort((a, b) => a.at - b.at);
  return [...new Set([...large, ...shuffled.slice(0, count).map(({ row }) => row)].map(keyOf))];
}

/** Park and Miller's generator: the same draws on every machine. */
function generator(seed: number): () => number {
  let state = (Math.abs(Math.trunc(seed)) % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const keyOf = (row: FlightRow): string => String(row.flight_key);
