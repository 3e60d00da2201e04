import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scopes as known } from '../../service/src/families/index.ts';
import { contrails } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

test.each([
  ['keys', 'list'],
  ['keys', 'revoke', 'k3v9x0aa'],
  ['jobs', 'list'],
  ['adsb', 'hours'],
  ['adsb', 'quarantine', 'list'],
])('%s %s does not make a data directory that was misspelt', async (...args) => {
  const cwd = temporaryDirectory();
  const { code, stdout, stderr } = await contrails([...args, '--data', 'dtaa'], { cwd });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`the data directory ${join(cwd, 'dtaa')} does not exist; check --data`);
  expect(existsSync(join(cwd, 'dtaa'))).toBe(false);
});

test('the first key makes the data directory and says so, the second does not', async () => {
  const cwd = temporaryDirectory();
  const create = () => contrails(['keys', 'create', '--name', 'alice', '--data', 'data'], { cwd });
  expect((await create()).stderr).toContain(`${join(cwd, 'data')} is a new data directory`);
  expect((await create()).stderr).not.toContain('new data directory');
  const { stdout } = await contrails(['keys', 'list', '--data', 'data', '--json'], { cwd });
  expect(JSON.parse(stdout)).toHaveLength(2);
});

test('the help of keys create names the scopes that a key has by default', async () => {
  const { stdout } = await contrails(['keys', 'create', '--help']);
  expect(stdout.replace(/\s+/g, '')).toContain(`(default:${known.ordinary.join(',')})`);
});

test('doctor has each text once', async () => {
  const { stdout } = await contrails(['doctor', '--json'], { cwd: temporaryDirectory() });
  for (const finding of JSON.parse(stdout) as object[]) {
    const texts = Object.values(finding);
    expect(new Set(texts).size).toBe(texts.length);
  }
});
