import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { contrails, type Running, start } from './support/contrails.ts';

/** A coarse atmosphere and a forecast of one hour are quickly made, and its first job is soon done. */
const SMALL = {
  CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'trial', kind: 'synthetic', resolution: 10 }]),
  CONTRAILS_FORECAST__CELLS_PER_DEGREE: '0.25',
  CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738',
  CONTRAILS_FORECAST__HOURS: '1',
  CONTRAILS_FORECAST__LEVELS_PER_JOB: '1',
  CONTRAILS_WORKERS__JOBS: '1',
  CONTRAILS_LOG__FORMAT: 'json',
  CONTRAILS_LOG__LEVEL: 'info',
  CONTRAILS_SERVER__MAX_EVENT_LOOP_DELAY_MS: '60000',
  CONTRAILS_SERVER__SHUTDOWN_SECONDS: '1',
};

function launch(args: readonly string[], env: Record<string, string>): Running {
  return start(args, { cwd: mkdtempSync(join(tmpdir(), 'contrails operators ')), env: { ...SMALL, ...env } });
}

async function end(program: Running): Promise<void> {
  program.kill('SIGKILL');
  await program.ended;
}

async function expectLineOfJob(program: Running): Promise<void> {
  const [line] = await program.line(/^.*"kind":"forecast\.part".*the job is done.*$/m, 'stderr');
  expect(JSON.parse(line)).toMatchObject({
    time: expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/),
    kind: 'forecast.part',
    subject: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\dZ default FL\d{3}-\d{3}$/),
    seconds: expect.any(Number),
  });
}

describe('a worker', () => {
  const own = {
    CONTRAILS_DATA: mkdtempSync(join(tmpdir(), 'contrails worker ')),
    CONTRAILS_METRICS__SERVE: 'own',
  };
  let worker: Running;
  beforeAll(() => {
    worker = launch(['worker'], { ...own, CONTRAILS_METRICS__PORT: '0' });
  });
  afterAll(() => end(worker));

  test('logs one line for each job that is done, with its subject and seconds', () =>
    expectLineOfJob(worker));

  test('serves metrics on the configured address and goes on without them where it is taken', async () => {
    const [, address = ''] = await worker.line(/metrics are at (http:[^"\s]+)/, 'stderr');
    const text = await (await fetch(address)).text();
    for (const name of ['contrails_jobs', 'contrails_compute_threads', 'process_resident_memory_bytes']) {
      expect(text).toMatch(new RegExp(`^${name}\\b`, 'm'));
    }
    const { port } = new URL(address);
    const second = launch(['worker'], { ...own, CONTRAILS_METRICS__PORT: port });
    onTestFinished(() => end(second));
    await second.line(/^contrails worker is ready/m);
    await second.line(/this worker runs without metrics/, 'stderr');
  });
});

describe('a server', () => {
  const env = { CONTRAILS_DATA: mkdtempSync(join(tmpdir(), 'contrails server ')) };
  let server: Running;
  beforeAll(() => {
    server = launch(['serve', '--port', '0'], env);
  });
  afterAll(() => end(server));

  test('logs one line for each job that is done, with its subject and seconds', () =>
    expectLineOfJob(server));

  test('takes other scopes and another rate of a key while it runs', async () => {
    const [, address = ''] = await server.line(/ready at (http:\S+)/);
    const cli = (...args: string[]) => contrails(args, { env });
    const key = (await cli('keys', 'create', '--name', 'planning', '--scopes', 'research')).stdout.trim();
    const [, id = ''] = key.split('_');
    const ask = () =>
      fetch(`${address}/v1/regions?time=2026-01-01T00:00Z`, { headers: { 'x-api-key': key } });
    const before = await ask();
    expect(before.status).toBe(403);
    const updated = await cli('keys', 'update', id, '--scopes', 'forecast', '--rate', '5', '--name', 'ops');
    expect(updated.stdout).toMatch(new RegExp(`^${id} \\(ops\\) forecast; 5/min, 25 at once, expires -\\n$`));
    const after = await until('the new scope is known', async () => {
      const answer = await ask();
      return answer.status !== 403 && answer;
    });
    expect(after.status).toBe(404);
    const refused = await Promise.all(Array.from({ length: 8 }, ask));
    expect(refused.map(({ status }) => status)).toContain(429);
    server.kill('SIGTERM');
    await server.ended;
    expect((await cli('keys', 'usage')).stdout).toMatch(new RegExp(`^KEY +NAME .*\\n${id} +ops +20`));
    const nothing = await cli('keys', 'update', id);
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('nothing to change')]);
  });
});
