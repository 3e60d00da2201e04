import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkClock } from '../../service/src/doctor/clock.ts';
import type { Finding } from '../../service/src/doctor/finding.ts';
import { checkMemory, checkNode, checkOpenFiles, checkThreads } from '../../service/src/doctor/machine.ts';
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
  expect(readdirSync(join(cwd, 'data'))).toContain('contrails.sqlite');
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
  expect(of('database')?.says).toContain('postgres://me@127.0.0.1:1/none');
  expect(JSON.stringify(of('database'))).not.toContain('hunter2');
  expect(code).toBe(1);
});

test('a wrong configuration fails and names every fault; the machine is checked all the same', async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'contrails.yaml'), 'server: { prot: 1 }\nlog: { level: loud }\n');
  const { code, of } = await doctor({ cwd });
  expect(of('configuration')?.says).toMatch(/line 1: server\.prot.*\n.*line 2: log\.level/);
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

const GIB = 2 ** 30;

describe('the machine', () => {
  test.each([
    ['an old Node', checkNode('20.11.0'), 'fail'],
    ['a good Node', checkNode('22.18.0'), 'ok'],
    ['no free memory', checkMemory(8 * GIB, GIB / 10), 'fail'],
    ['a small container', checkMemory(GIB / 2, GIB / 4), 'warn'],
    ['enough memory', checkMemory(8 * GIB, 4 * GIB), 'ok'],
    ['few open files', checkOpenFiles(1024), 'warn'],
    ['hardly any open files', checkOpenFiles(100), 'fail'],
    ['more threads than processors', checkThreads(8, 2), 'warn'],
    ['threads by themselves', checkThreads('auto', 2), 'ok'],
  ])('%s', (_, finding, state) => {
    expect(finding.state).toBe(state);
    expect(finding.remedy === undefined).toBe(state === 'ok');
  });
});

describe('the clock', () => {
  const nowMs = Date.UTC(2030, 0, 1);
  const other = (aheadMs: number, resolutionMs = 1000) => [{ name: 'the database', aheadMs, resolutionMs }];
  test.each([
    ['alone', nowMs, [], 'ok'],
    ['before this program was written', 0, [], 'fail'],
    ['as the others', nowMs, other(400), 'ok'],
    ['some seconds off', nowMs, other(-9_000), 'warn'],
    ['hours off', nowMs, other(7_200_000), 'fail'],
    ['off by less than can be measured', nowMs, other(9_000, 10_000), 'ok'],
  ])('%s', (_, ms, others, state) => {
    expect(checkClock(ms, others).state).toBe(state);
  });
});
