import { createHash, randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDuckDb } from '@contrails/formats';
import { openStore, type S3Access, type StoreAddress } from '@contrails/platform/store';
import { localCopy } from '@contrails/platform/workspace';
import { HOUR_MS } from '@contrails/runtime';
import { freePort } from '../../../../test/support/free-port.ts';
import { startPostgres } from '../../../../test/support/postgres.ts';
import { type Program, runProgram } from '../../../../test/support/programs.ts';
import { type S3Buckets, startS3 } from '../../../../test/support/s3.ts';
import { until } from '../../../../test/support/until.ts';
import { publishWithRetry } from '../../src/families/telemetry/hours/jobs.ts';
import { applyBatch } from '../../src/families/telemetry/ingest/batch.ts';
import { openDatabase } from '../../src/migrations.ts';
import { readManifest } from '../../src/telemetry-store/manifest.ts';
import type { TelemetryServices } from '../../src/telemetry-store/services.ts';
import { findHour, pendingHours } from '../../src/telemetry-store/table.ts';
import { APPLY, KILL_RULES } from '../families/telemetry/support/installation.ts';
import { HOUR } from '../families/telemetry/support/reports.ts';
import { createKey } from '../support/client.ts';
import { type ServiceProcess, type ServiceSettings, spawnService } from '../support/service.ts';
import {
  DEMO_BATCHES,
  DEMO_HOURS,
  HOURS,
  killReports,
  openDemoDay,
  type TelemetryTask,
} from './telemetry-kill-reports.ts';

export interface TelemetryKillOptions {
  readonly rounds: number;
  readonly importers: number;
  readonly builders: number;
  /** Legs of a synthetic day to import; small batches of a few rows without it. */
  readonly demoLegs?: number;
  readonly address: StoreAddress;
  readonly access?: S3Access;
  /** `embedded`, or the address of a PostgreSQL server. */
  readonly database: string;
  /** Of the embedded database. */
  readonly directory: string;
  /** How the server is configured. */
  readonly service: ServiceSettings;
}

export interface TelemetryKillFigures {
  readonly kills: number;
  readonly acknowledgedBatches: number;
  readonly builds: number;
  readonly rows: number;
  /** Whole hours that a client read while everything was killed around it. */
  readonly reads: number;
  readonly seconds: number;
  /** What was lost, torn or doubled; empty when all is well. */
  readonly losses: readonly string[];
}

const MOST_REPORTS = 5;
const LONGEST_MOMENT_MS = 300;
/** After it is ready; a builder that has nothing to build reports nothing. */
const LONGEST_LIFE_MS = 6_000;
const READ_PAUSE_MS = 100;
const FEW_HOURS = Array.from({ length: HOURS }, (_, k) => HOUR + k * HOUR_MS);

function hoursOf({ demoLegs = 0 }: Pick<TelemetryKillOptions, 'demoLegs'>): readonly number[] {
  return demoLegs > 0 ? DEMO_HOURS : FEW_HOURS;
}

/**
 * Importers, builders and the server of one installation are killed round by round, while a client reads the hours. Then
 * every acknowledged row is in its hour once, and no answer was anything but a whole hour.
 */
export async function killTelemetry(options: TelemetryKillOptions): Promise<TelemetryKillFigures> {
  const { rounds, importers, builders } = options;
  const startedMs = performance.now();
  const losses: string[] = [];
  const acknowledged = new Map<string, readonly number[]>();
  let builds = 0;
  let kills = 0;
  let rows = 0;
  const reader = await startReader(options, losses);
  try {
    for (let round = 0; round < rounds; round += 1) {
      const programs = new Map<string, Program>();
      for (let n = 0; n < importers + builders; n += 1) {
        const id = `r${round}n${n}`;
        programs.set(id, start(options, id, n < importers ? 'import' : 'build'));
      }
      // The first one is an importer that has acknowledged a batch.
      await Promise.all([...programs.values()].map((program, n) => killSoon(program, n === 0 ? 2 : 0)));
      kills += programs.size;
      for (const [id, program] of programs) {
        const lines = program.lines();
        const batches = lines.flatMap((line) => /^acknowledged (\d+)/.exec(line)?.[1] ?? []).map(Number);
        if (batches.length > 0) acknowledged.set(id, batches);
        builds += lines.filter((line) => line.startsWith('built ')).length;
      }
      if (round % 3 === 0) {
        await reader.restart();
        kills += 1;
      }
    }
    rows = await checkHours(options, acknowledged, losses);
    await reader.untilRead();
  } finally {
    await reader.stop();
  }
  return {
    kills,
    acknowledgedBatches: [...acknowledged.values()].reduce((sum, { length }) => sum + length, 0),
    builds,
    rows,
    reads: reader.reads(),
    seconds: Math.round((performance.now() - startedMs) / 1000),
    losses,
  };
}

function start(options: TelemetryKillOptions, id: string, role: TelemetryTask['role']): Program {
  const { address, access, database, directory, demoLegs = 0 } = options;
  const task: TelemetryTask = { id, role, address, database, directory, demoLegs, ...(access && { access }) };
  return runProgram(new URL('./programs/telemetry-worker.ts', import.meta.url), [JSON.stringify(task)]);
}

/**
 * A process is killed a moment after one of so many reports, the first of which is that it is ready: while it does what it
 * would report next.
 */
async function killSoon(program: Program, leastReports: number): Promise<void> {
  const failed = program.finished.then(() => {
    throw new Error('a process ended by itself');
  });
  const enough = randomInt(MOST_REPORTS);
  await Promise.race([failed, program.firstLine]);
  const hasReported = (count: number) => program.lines().length >= count;
  await Promise.race([failed, until('a process reports', () => hasReported(leastReports))]);
  const latestMs = Date.now() + LONGEST_LIFE_MS;
  while (!hasReported(enough) && Date.now() < latestMs) await Promise.race([failed, sleep(5)]);
  await Promise.race([failed, sleep(randomInt(LONGEST_MOMENT_MS))]);
  failed.catch(() => undefined);
  await program.kill();
}

/** A client that asks for one hour after the other and looks at every answer. */
async function startReader(options: TelemetryKillOptions, losses: string[]) {
  const { service } = options;
  const hours = hoursOf(options);
  const settings = { ...service, port: await freePort() };
  const { text: key } = await createKey(settings, { scopes: ['adsb'], ratePerMinute: 1_000_000 });
  let server: ServiceProcess = await spawnService('serve', settings);
  let isReading = true;
  let reads = 0;
  const done = (async () => {
    for (let turn = 0; isReading; turn += 1) {
      const date = new Date(hours[turn % hours.length] ?? HOUR).toISOString();
      try {
        const response = await fetch(`${server.address}/v1/adsb/telemetry?date=${date}`, {
          headers: { 'x-api-key': key },
          signal: AbortSignal.timeout(30_000),
        });
        const bytes = Buffer.from(await response.arrayBuffer());
        if (response.status === 200) {
          const problem = faultOf(bytes, response.headers.get('etag'));
          if (problem !== undefined) losses.push(`a client read ${problem}`);
          reads += 1;
        } else if (response.status !== 404 && response.status !== 503) {
          losses.push(`a client was answered ${response.status}: ${bytes.toString().slice(0, 200)}`);
        }
      } catch {
        // The server was killed, which the client sees as a broken connection, never as a short file.
      }
      await sleep(READ_PAUSE_MS);
    }
  })();
  return {
    reads: () => reads,
    untilRead: () => until('a client has read an hour', () => reads > 0),
    async restart() {
      await server.kill();
      server = await spawnService('serve', settings);
    },
    async stop() {
      isReading = false;
      await done;
      await server.kill();
    },
  };
}

function faultOf(bytes: Buffer, etag: string | null): string | undefined {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (etag !== `"${sha256}"`) return `bytes that do not match their entity tag ${etag}`;
  const isParquet = [bytes.subarray(0, 4), bytes.subarray(-4)].every((part) => part.toString() === 'PAR1');
  return isParquet ? undefined : 'a file that is no Parquet';
}

/** Builds what is left and compares every hour with what was acknowledged; returns the rows. */
async function checkHours(
  options: TelemetryKillOptions,
  acknowledged: ReadonlyMap<string, readonly number[]>,
  losses: string[],
): Promise<number> {
  const { address, access, database: url, directory, demoLegs = 0 } = options;
  const database = await openDatabase({ database: url, directory });
  const store = await openStore(address, access);
  const folder = await mkdtemp(join(tmpdir(), 'telemetry-kill-'));
  const duckdb = await openDuckDb({ memoryMiB: 256, threads: 1, temporaryDirectory: folder });
  let rows = 0;
  try {
    const wanted =
      demoLegs > 0
        ? await importDemoDay({ database, store }, demoLegs, acknowledged, losses)
        : keysOf(acknowledged);
    for (const { hourMs } of await pendingHours(database)) {
      await publishWithRetry({ database, store }, KILL_RULES, hourMs);
    }
    const applied = await database.query<{ accepted: number }>('SELECT accepted FROM telemetry_batches');
    const accepted = applied.reduce((sum, batch) => sum + batch.accepted, 0);
    const found = new Set<string>();
    for (const hourMs of hoursOf(options)) {
      const current = await readManifest(store, hourMs);
      if (current === undefined) continue;
      const path = await localCopy(store, current.manifest.served.key, folder);
      const served = await duckdb.rows(
        `SELECT icao_address AS a, epoch_ms("timestamp") AS t FROM read_parquet($1, hive_partitioning = false)`,
        [path],
      );
      rows += served.length;
      if (served.length !== current.manifest.rows)
        losses.push(`${current.manifest.hour} has not the rows of its manifest`);
      for (const { a, t } of served) {
        const key = `${a} ${t}`;
        if (found.has(key)) losses.push(`${key} is there twice`);
        found.add(key);
      }
      if ((await findHour(database, hourMs))?.pending !== 0)
        losses.push(`${current.manifest.hour} is not finished`);
    }
    for (const key of wanted) if (!found.has(key)) losses.push(`${key} was acknowledged and is lost`);
    // Reports of the demonstration repeat themselves, so fewer rows than were accepted are left.
    const committed = demoLegs > 0 ? wanted.size : accepted;
    if (rows !== committed) losses.push(`${committed} rows were committed, but ${rows} are in the hours`);
  } finally {
    duckdb.close();
    await store.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}

/** The settings of a server whose objects are in a bucket, under `kill`. */
export function serviceOnS3(
  { access }: Pick<S3Buckets, 'access'>,
  bucket: string,
  database: string,
): ServiceSettings {
  return {
    data: `s3://${bucket}/kill`,
    database,
    more: {
      CONTRAILS_S3__ENDPOINT: access.endpoint,
      CONTRAILS_S3__REGION: access.region,
      CONTRAILS_S3__PATH_STYLE: 'true',
      CONTRAILS_S3__ACCESS_KEY_ID: access.accessKeyId,
      CONTRAILS_S3__SECRET_ACCESS_KEY: access.secretAccessKey,
    },
  };
}

/** Address and time of every row of acknowledged batches. */
function keysOf(acknowledged: ReadonlyMap<string, readonly number[]>): Set<string> {
  const keys = new Set<string>();
  for (const [importer, batches] of acknowledged) {
    for (const number of batches) {
      for (const { address, timeMs } of killReports(importer, number)) keys.add(`${address} ${timeMs}`);
    }
  }
  return keys;
}

/** Imports the rest of the day; returns the address and time of all its rows. Acknowledged batches have to be known. */
async function importDemoDay(
  services: TelemetryServices,
  legs: number,
  acknowledged: ReadonlyMap<string, readonly number[]>,
  losses: string[],
): Promise<Set<string>> {
  const day = openDemoDay(legs);
  const before = new Set([...acknowledged.values()].flat());
  const keys = new Set<string>();
  for (let number = 0; number < DEMO_BATCHES; number += 1) {
    const { header, reader } = day.batch(number);
    const { duplicate } = await applyBatch(services, header, reader, APPLY);
    if (before.has(number) && !duplicate) losses.push(`${header.name} was acknowledged and is not known`);
    for (const key of await day.keys(number)) keys.add(key);
  }
  return keys;
}

const IMPORTERS = 2;
const BUILDERS = 2;
/** All of them, and the server every third time. */
const KILLS_PER_ROUND = IMPORTERS + BUILDERS + 1 / 3;

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '200' },
      store: { type: 'string', default: 'directory' },
      database: { type: 'string', default: 'embedded' },
      legs: { type: 'string', default: '300' },
    },
  });
  const directory = await mkdtemp(join(tmpdir(), 'contrails-telemetry-kill-'));
  const s3 = values.store === 's3' ? await startS3() : undefined;
  const postgres = values.database === 'postgres' ? await startPostgres() : undefined;
  try {
    await writeFile(join(directory, 'contrails.yaml'), '{}\n');
    const database = (await postgres?.createDatabase()) ?? 'embedded';
    const bucket = await s3?.createBucket();
    const figures = await killTelemetry({
      rounds: Math.ceil(Number(values.kills) / KILLS_PER_ROUND),
      importers: IMPORTERS,
      builders: BUILDERS,
      demoLegs: Number(values.legs),
      database,
      directory,
      ...(s3 === undefined || bucket === undefined
        ? {
            address: { kind: 'directory', path: join(directory, 'store') },
            service: { data: directory, ...(postgres && { database }) },
          }
        : {
            address: { kind: 's3', bucket, prefix: 'kill' },
            access: s3.access,
            service: serviceOnS3(s3, bucket, database),
          }),
    });
    process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
    process.exitCode = figures.losses.length === 0 ? 0 : 1;
  } finally {
    await s3?.close();
    await postgres?.close();
    await rm(directory, { recursive: true, force: true });
  }
}
