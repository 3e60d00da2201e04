import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { contrails, type Running, start } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

/** A coarse atmosphere and a forecast of one hour are quickly made, and its first job is soon done. */
const SMALL = {
  CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'trial', kind: 'synthetic', resolution: 10 }]),
  CONTRAILS_FORECAST__CELLS_PER_DEGREE: '0.25',
  CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738',
  CONTRAILS_FORECAST__HOURS: '1',
  CONTRAILS_FORECAST__LEVELS_PER_JOB: '1',
  CONTRAILS_WORKERS__JOBS: '1',
  CONTRAILS_LOG__FORMAT: 'json',
  CONTRAILS_SERVER__MAX_EVENT_LOOP_DELAY_MS: '60000',
  CONTRAILS_SERVER__SHUTDOWN_SECONDS: '1',
};

function run(args: readonly string[], env: Record<string, string>): Running {
  const program = start(args, { cwd: temporaryDirectory(), env: { ...SMALL, ...env } });
  onTestFinished(async () => {
    program.kill('SIGKILL');
    await program.ended;
  });
  return program;
}

test.each([
  ['a worker', ['worker']],
  ['a server', ['serve', '--port', '0']],
])('%s logs one line for each job that is done, with its subject and seconds', async (_, args) => {
  const program = run(args, { CONTRAILS_DATA: temporaryDirectory() });
  const [line] = await program.line(/^.*"kind":"forecast\.part".*the job is done.*$/m, 'stderr');
  expect(JSON.parse(line)).toMatchObject({
    time: expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/),
    kind: 'forecast.part',
    subject: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\dZ default FL\d{3}-\d{3}$/),
    seconds: expect.any(Number),
  });
});

test('a worker serves metrics on the configured address and goes on without them where it is taken', async () => {
  const data = temporaryDirectory();
  const own = { CONTRAILS_DATA: data, CONTRAILS_METRICS__SERVE: 'own', CONTRAILS_FORECAST__SCHEDULE: 'off' };
  const worker = run(['worker'], { ...own, CONTRAILS_METRICS__PORT: '0' });
  const [, address = ''] = await worker.line(/metrics are at (http:[^"\s]+)/, 'stderr');
  const text = await (await fetch(address)).text();
  for (const name of ['contrails_jobs', 'contrails_compute_threads', 'process_resident_memory_bytes']) {
    expect(text).toMatch(new RegExp(`^${name}\\b`, 'm'));
  }
  const second = run(['worker'], { ...own, CONTRAILS_METRICS__PORT: new URL(address).port });
  await second.line(/^contrails worker is ready/m);
  await second.line(/this worker runs without metrics/, 'stderr');
});

test('scopes and rate of a key change on a running server', async () => {
  const env = { CONTRAILS_DATA: temporaryDirectory() };
  const server = run(['serve', '--port', '0', '--no-workers'], env);
  const [, address = ''] = await server.line(/ready at (http:\S+)/);
  const cli = (...args: string[]) => contrails(args, { env });
  const key = (await cli('keys', 'create', '--name', 'planning', '--scopes', 'research')).stdout.trim();
  const [, id = ''] = key.split('_');
  const ask = () => fetch(`${address}/v1/regions?time=2026-01-01T00:00Z`, { headers: { 'x-api-key': key } });
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
