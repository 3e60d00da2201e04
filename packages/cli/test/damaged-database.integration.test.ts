import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Finding } from '@contrails/platform/finding';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { contrails, start } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const PAGE_BYTES = 4096;

/** A data directory whose usage takes many pages. */
async function filled(): Promise<{ data: string; file: string }> {
  const data = join(temporaryDirectory(), 'data');
  await contrails(['keys', 'create', '--name', 'one', '--data', data]);
  const file = join(data, 'contrails.sqlite');
  const database = new DatabaseSync(file);
  const insert = database.prepare(
    `INSERT INTO usage (key_id, day, endpoint, requests, bytes, compute_seconds) VALUES (?, '2026-01-01', '/v0', 1, 1, 1)`,
  );
  database.exec('BEGIN');
  for (let k = 0; k < 5_000; k++) insert.run(`key ${k}`);
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return { data, file };
}

/** Overwrites the last page, which belongs to usage. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, bytes.length - PAGE_BYTES);
  writeFileSync(file, bytes);
}

async function databaseFinding(data: string): Promise<{ code: number | null; finding: Finding | undefined }> {
  const { code, stdout } = await contrails(['doctor', '--json', '--data', data]);
  const findings = JSON.parse(stdout) as Finding[];
  return { code, finding: findings.find(({ check }) => check === 'database') };
}

test('doctor reports a page of garbage with what to do, and finds a database whole that is', async () => {
  const { data, file } = await filled();
  const before = await databaseFinding(data);
  expect(before).toMatchObject({
    code: 0,
    finding: { state: 'ok', message: expect.stringContaining('whole') },
  });
  damage(file);
  const { code, finding } = await databaseFinding(data);
  expect(code).toBe(1);
  expect(finding).toMatchObject({ state: 'fail', remedy: expect.stringContaining('contrails restore') });
  expect(finding?.message).toMatch(/contrails\.sqlite is damaged \(table usage: /);
  expect(finding?.remedy).not.toMatch(/address|password/);
});

test('a damaged database is not backed up, and nothing is left of the attempt', async () => {
  const { data, file } = await filled();
  damage(file);
  const folder = temporaryDirectory();
  const { code, stderr } = await contrails(['backup', join(folder, 'backup'), '--data', data]);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/contrails\.sqlite is damaged \(.*contrails restore/);
  expect(readdirSync(folder)).toEqual([]);
});

test('/readyz of a server on a damaged database says so, without its path', async () => {
  const { data, file } = await filled();
  damage(file);
  const server = start(['serve', '--data', data, '--port', '0', '--no-workers']);
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await server.ended;
  });
  const [, address = ''] = await server.line(/^contrails is ready at (http:\S+)\n/m);
  const readiness = await until('the damage is found', async () => {
    const answer = await fetch(`${address}/readyz`);
    const { checks } = (await answer.json()) as { checks: { database: { ok: boolean; message?: string } } };
    return checks.database.ok ? undefined : { status: answer.status, ...checks.database };
  });
  expect(readiness).toMatchObject({ status: 503, message: 'damaged; run "contrails doctor" on the server' });
  await server.line(/contrails\.sqlite is damaged/, 'stderr');
});

test('a database of 0 bytes, or none, beside a store with files is reported and not started as new', async () => {
  const { data, file } = await filled();
  mkdirSync(join(data, 'store', 'telemetry'), { recursive: true });
  writeFileSync(join(data, 'store', 'telemetry', 'hour.parquet'), 'bytes');
  expect((await databaseFinding(data)).finding?.state).toBe('ok');
  truncateSync(file);
  const { code, finding } = await databaseFinding(data);
  expect(code).toBe(1);
  expect(finding).toMatchObject({
    state: 'fail',
    message: expect.stringContaining('is missing or empty'),
    remedy: expect.stringContaining('contrails restore'),
  });
  for (const command of [
    ['serve', '--port', '0'],
    ['keys', 'create', '--name', 'two'],
  ]) {
    const refused = await contrails([...command, '--data', data]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/is missing or empty, but .*store holds files.*contrails restore/);
  }
  expect(readFileSync(file)).toHaveLength(0);
  expect(existsSync(join(data, 'store', 'telemetry', 'hour.parquet'))).toBe(true);
});
