import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../../test/support/tools.ts';
import { importTraffic, openInventory } from '../../service/test/families/inventory/support.ts';
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

test('the demo is scored against the flights of its own sky', async () => {
  const cwd = temporaryDirectory();
  const noonMs = Date.UTC(2024, 1, 29, 12);
  const trial = await openInventory({ data: join(cwd, 'data') });
  await importTraffic(trial, noonMs - 3_600_000, noonMs + 3_600_000);
  await trial.close();
  writeFileSync(
    join(cwd, 'contrails.yaml'),
    'data: data\nmet: { sources: [ { name: demo, kind: synthetic, resolution: 10, seed: 1 } ] }\n',
  );
  const noon = ['--from', '2024-02-29T12:00', '--to', '2024-02-29T12:00', '--flight-level', '350,370'];
  const args = ['forecast', 'score', '--demo', '--rhi', '0.3', '--buffer', '0..2', ...noon];
  const { code, stdout, stderr } = await contrails([...args, '--json'], { cwd });
  expect(code, stderr).toBe(0);
  const { rows, forecast, observations } = JSON.parse(stdout);
  expect(forecast).toBe('demo');
  expect(rows).toHaveLength(3);
  expect(rows[0].penalty).toBeGreaterThan(0);
  expect(rows[2].penalty).toBeGreaterThanOrEqual(rows[0].penalty);
  expect(observations.adsb.cells).toBeGreaterThan(10);
  expect(stderr).toContain('not scored, because files are missing: iagos, gruan, contrailwatch');
  expect(stderr).toMatch(/scored: \d+ of \d+ times and levels, \d+ % of the period/);
});
