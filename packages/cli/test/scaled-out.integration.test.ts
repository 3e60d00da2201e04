import type { Finding } from '@contrails/platform/finding';
import { maintenanceKind } from '@contrails/platform/jobs';
import { createLog } from '@contrails/platform/log';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { PostgresDatabases } from '../../../test/support/postgres.ts';
import { type S3Buckets, s3Missing } from '../../../test/support/s3.ts';
import { usePostgres, useS3 } from '../../../test/support/shared-server.ts';
import { until } from '../../../test/support/until.ts';
import { loadConfig } from '../../service/src/configuration.ts';
import { openJobsOnly } from '../../service/src/open.ts';
import { contrails, start } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const reason = s3Missing === undefined ? '' : ` (skipped: ${s3Missing})`;

describe.skipIf(s3Missing !== undefined)(`PostgreSQL and a bucket${reason}`, () => {
  let postgres: PostgresDatabases;
  let s3: S3Buckets;
  let env: Record<string, string>;
  beforeAll(async () => {
    [postgres, s3] = await Promise.all([usePostgres(), useS3()]);
    env = {
      CONTRAILS_DATABASE: await postgres.createDatabase(),
      CONTRAILS_DATA: `s3://${await s3.createBucket()}/some/prefix`,
      CONTRAILS_S3__ENDPOINT: s3.access.endpoint,
      CONTRAILS_S3__REGION: s3.access.region,
      CONTRAILS_S3__PATH_STYLE: 'true',
      CONTRAILS_S3__ACCESS_KEY_ID: s3.access.accessKeyId,
      CONTRAILS_S3__SECRET_ACCESS_KEY: s3.access.secretAccessKey,
      CONTRAILS_SERVER__MAX_EVENT_LOOP_DELAY_MS: '60000',
    };
  });
  afterAll(() => Promise.all([postgres?.close(), s3?.close()]));

  const cli = (...args: string[]) => contrails(args, { cwd: temporaryDirectory(), env });

  async function serve(...args: string[]): Promise<{ address: string }> {
    const server = start(['serve', '--port', '0', ...args], { cwd: temporaryDirectory(), env });
    onTestFinished(async () => {
      server.kill();
      expect(await server.ended).toMatchObject({ code: 0, signal: null });
    });
    const [, address = ''] = await server.line(/ready at (http:\S+)/);
    return { address };
  }

  test('doctor finds them healthy, compares their clocks and shows no secret', async () => {
    const { code, stdout, stderr } = await cli('doctor', '--json');
    const findings = JSON.parse(stdout) as Finding[];
    const messages = Object.fromEntries(findings.map(({ check, message }) => [check, message]));
    expect(findings.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(messages.clock).toMatch(/database.*store|store.*database|apart from/);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(s3.access.secretAccessKey);
    expect(stdout + stderr).not.toMatch(/p(@|%40)ss/);
  });

  test('doctor names a bucket that does not exist', async () => {
    const wrong = { ...env, CONTRAILS_DATA: 's3://no-such-bucket-here' };
    const { code, stdout } = await contrails(['doctor', '--json'], { cwd: temporaryDirectory(), env: wrong });
    const store = (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'store');
    expect(store).toMatchObject({ state: 'fail', message: expect.stringContaining('no-such-bucket-here') });
    expect(code).toBe(1);
  });

  test('a wrong password stops the start with one sentence', async () => {
    const wrong = {
      ...env,
      CONTRAILS_DATABASE: env.CONTRAILS_DATABASE?.replace(/:[^:]*@/, ':hunter2@') ?? '',
    };
    const ended = await contrails(['serve', '--port', '0'], { cwd: temporaryDirectory(), env: wrong });
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(ended.stderr).not.toContain('hunter2');
    expect([ended.code, ended.stdout]).toEqual([1, '']);
  });

  test('a key revoked on the command line stops on two servers', async () => {
    const servers = [await serve('--no-workers'), await serve('--no-workers')];
    const key = (await cli('keys', 'create', '--name', 'radar', '--scopes', 'adsb')).stdout.trim();
    const validate = (address: string) =>
      fetch(`${address}/v0/auth/validate-key`, { headers: { 'x-api-key': key } });
    for (const { address } of servers) expect((await validate(address)).status).toBe(200);
    await cli('keys', 'revoke', key.split('_')[1] ?? '');
    for (const { address } of servers) {
      await until(`${address} answers 401`, async () => (await validate(address)).status === 401);
    }
  });

  test('a worker does the jobs that another process made', async () => {
    const worker = start(['worker'], { cwd: temporaryDirectory(), env });
    onTestFinished(() => worker.kill('SIGKILL'));
    await worker.line(/^contrails worker is ready/m);
    const config = loadConfig({ environment: env, directory: temporaryDirectory() });
    const { jobs, close } = await openJobsOnly(config, createLog({ level: 'error', format: 'json' }));
    const { id } = await jobs.enqueue(maintenanceKind, {}).finally(close);
    expect(await cli('jobs', 'watch', id)).toMatchObject({ code: 0 });
    worker.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0, signal: null });
  });
});
