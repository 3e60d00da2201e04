import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../../test/support/tools.ts';
import { contrails } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const CASE = join(repositoryRoot, 'packages/engine/test/reference/skill');
const FILES = ['--forecast', join(CASE, 'forecast'), '--observations', join(CASE, 'observations')];

test('scores are CSV with a curve beside them, and bad flags end with a sentence', async () => {
  const cwd = temporaryDirectory();
  const args = ['forecast', 'score', ...FILES, '--flight-level', '330', '--to', '2024-01-03T12:00'];
  const { code, stdout, stderr } = await contrails(
    [...args, '--buffer', '0..2', '--csv', '--plot', 'skill.svg'],
    {
      cwd,
    },
  );
  expect(code, stderr).toBe(0);
  const [head, ...rows] = stdout.trim().split('\n');
  expect(head).toMatch(/^region,season,forecast,horizontal_buffer,probability_threshold,penalty,penalty_lo/);
  expect(rows.map((row) => row.split(',').slice(0, 4).join(' '))).toEqual([
    'global annual forecast 0',
    'global annual forecast 1',
    'global annual forecast 2',
  ]);
  expect(readFileSync(join(cwd, 'skill.svg'), 'utf8')).toMatch(/^<svg .*IAGOS.*<\/svg>\n$/s);
  for (const [flags, sentence] of [
    [['--buffer', '41'], 'give whole numbers from 0 to 40'],
    [['--region', 'mars'], '--region mars is not known; give global, conus, shanwick or W,E,S,N'],
    [
      ['--buffer', '0..2', '--rhi', '0.9..1'],
      'only one of --buffer, --rhi and --probability takes several values',
    ],
  ] as const) {
    const refused = await contrails([...args, ...flags], { cwd });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(sentence);
  }
});
