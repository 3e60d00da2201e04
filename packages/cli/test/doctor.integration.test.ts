import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Finding } from '@contrails/platform/finding';
import { expect, test } from 'vitest';
import { contrails, type RunOptions } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

async function doctor(options: RunOptions) {
  const { code, stdout } = await contrails(['doctor', '--json'], options);
  const findings = JSON.parse(stdout) as Finding[];
  return { code, of: (check: string) => findings.find((finding) => finding.check === check) };
}

test('a fresh directory is healthy, and nothing of the probe stays', async () => {
  const cwd = temporaryDirectory();
  const { code, of } = await doctor({ cwd });
  for (const check of ['configuration', 'store', 'database', 'disk', 'clock'])
    expect(of(check)?.state).toBe('ok');
  expect(code).toBe(0);
  expect(existsSync(join(cwd, 'data', 'store', 'doctor'))).toBe(false);
  expect(readdirSync(join(cwd, 'data'))).toEqual(['store']);
});

test('leaves a database of an older version as it is and reports that it is behind', async () => {
  const cwd = temporaryDirectory();
  await contrails(['keys', 'list'], { cwd });
  const path = join(cwd, 'data', 'contrails.sqlite');
  const database = new DatabaseSync(path);
  database.exec(`DROP TABLE forecast_runs; DELETE FROM migrations WHERE id LIKE 'forecast-%'`);
  database.close();
  const { code, of } = await doctor({ cwd });
  expect(of('database')).toMatchObject({ state: 'warn', remedy: expect.stringContaining('back up') });
  expect(of('database')?.message).toMatch(/\d+ schema steps? behind/);
  expect(code).toBe(0);
  const after = new DatabaseSync(path);
  const tables = after.prepare(`SELECT name FROM sqlite_master WHERE name = 'forecast_runs'`).all();
  after.close();
  expect(tables).toEqual([]);
});

test('names keys that can do everything, but not those that are revoked', async () => {
  const cwd = temporaryDirectory();
  const create = (name: string, ...more: string[]) =>
    contrails(['keys', 'create', '--name', name, '--json', ...more], { cwd });
  await create('reader');
  expect((await doctor({ cwd })).of('keys')).toMatchObject({ state: 'ok' });
  const all = [
    'research',
    'forecast',
    'planning',
    'observations',
    'inventory',
    'adsb',
    'adsb:write',
    'inventory:segments',
    'live',
  ];
  const { stdout } = await create('master', '--scopes', all.join(','));
  const { id } = JSON.parse(stdout) as { id: string };
  expect((await doctor({ cwd })).of('keys')).toMatchObject({
    state: 'warn',
    message: expect.stringContaining(`${id} (master)`),
    remedy: expect.stringContaining('keys update'),
  });
  await contrails(['keys', 'revoke', id], { cwd });
  expect((await doctor({ cwd })).of('keys')).toMatchObject({ state: 'ok' });
});

test('a data directory that is a file fails store and database, each with a remedy', async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'data'), '');
  const { code, of } = await doctor({ cwd });
  expect(of('store')).toMatchObject({ state: 'fail', remedy: expect.stringMatching(/directory/) });
  expect(of('database')).toMatchObject({ state: 'fail', remedy: expect.any(String) });
  expect(of('node')?.state).toBe('ok');
  expect(code).toBe(1);
});

test('a database that does not answer fails, without its password', async () => {
  const env = { CONTRAILS_DATABASE: 'postgres://me:hunter2@127.0.0.1:1/none' };
  const { code, of } = await doctor({ cwd: temporaryDirectory(), env });
  expect(of('database')?.state).toBe('fail');
  expect(of('database')?.message).toContain('postgres://me@127.0.0.1:1/none');
  expect(JSON.stringify(of('database'))).not.toContain('hunter2');
  expect(code).toBe(1);
});

test('a wrong configuration fails with every error, and the machine is checked all the same', async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'contrails.yaml'), 'server: { prot: 1 }\nlog: { level: loud }\n');
  const { code, of } = await doctor({ cwd });
  expect(of('configuration')?.message).toMatch(/line 1: server\.prot.*\n.*line 2: log\.level/);
  expect(of('memory')).toBeDefined();
  expect(of('store')).toBeUndefined();
  expect(code).toBe(1);
});

test('findings are readable lines, each with what to do', async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'data'), '');
  const { stdout } = await contrails(['doctor'], { cwd });
  expect(stdout).toMatch(/^fail {2}store {10}.*\n +→ check that the directory exists/m);
  expect(stdout).not.toContain('\u001b');
});
