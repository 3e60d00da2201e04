import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { contrails, start } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const secrets = {
  CONTRAILS_DATABASE: 'postgres://contrails:hunter2-database@127.0.0.1:1/contrails',
  CONTRAILS_S3__ACCESS_KEY_ID: 'hunter2-access',
  CONTRAILS_S3__SECRET_ACCESS_KEY: 'hunter2-secret',
  CONTRAILS_S3__ENDPOINT: 'http://127.0.0.1:1',
  CONTRAILS_DATA: 's3://bucket/prefix',
};

test.each([
  [['serve', '--port', '0']],
  [['worker']],
  [['keys', 'list']],
  [['jobs', 'list']],
  [['doctor']],
  [['doctor', '--json']],
  [['serve', '--port', 'wrong']],
])('%j prints no secret of the environment, not even with --verbose', async (args) => {
  const { code, stdout, stderr } = await contrails([...args, '--verbose'], {
    cwd: temporaryDirectory(),
    env: { ...secrets, CONTRAILS_LOG__LEVEL: 'trace' },
  });
  expect(code).not.toBe(0);
  expect(stdout + stderr).not.toBe('');
  expect(stdout + stderr).not.toContain('hunter2');
});

test('prints no secret of a file that must not hold it', async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'contrails.yaml'), `database: ${secrets.CONTRAILS_DATABASE}\n`);
  const { code, stderr } = await contrails(['serve', '--verbose'], { cwd });
  expect(stderr).toContain('contrails.yaml line 1: database holds a password');
  expect(stderr).toContain('CONTRAILS_DATABASE_FILE');
  expect(stderr).not.toContain('hunter2');
  expect(code).toBe(2);
});

test('no API key reaches the log, wherever a caller puts it', async () => {
  const data = temporaryDirectory();
  mkdirSync(data, { recursive: true });
  const key = (await contrails(['keys', 'create', '--name', 'n', '--data', data])).stdout.trim();
  const server = start(['serve', '--data', data, '--port', '0', '--verbose'], {
    env: { CONTRAILS_LOG__LEVEL: 'trace' },
  });
  onTestFinished(() => server.kill('SIGKILL'));
  const [, address = ''] = await server.line(/ready at (http:\S+)/);
  await fetch(`${address}/v0/auth/validate-key`, { headers: { 'x-api-key': key } });
  await fetch(`${address}/v0/auth/validate-key?x-api-key=${key}`);
  await fetch(`${address}/${key}`);
  await fetch(`${address}/v0/auth/validate-key`, { headers: { 'x-api-key': `${key}x`, authorization: key } });
  server.kill();
  const { stdout, stderr } = await server.ended;
  expect(stderr).toContain('/v0/auth/validate-key');
  expect(stdout + stderr).not.toContain(key.split('_')[2]);
});
