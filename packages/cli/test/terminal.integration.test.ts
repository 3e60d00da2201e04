import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { handleJob, maintenanceKind } from '@contrails/platform/jobs';
import { createLog } from '@contrails/platform/log';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from '../../../test/support/tools.ts';
import { until } from '../../../test/support/until.ts';
import { loadConfig } from '../../service/src/configuration.ts';
import { openJobsOnly } from '../../service/src/open.ts';
import { PROGRAM, type RunOptions, startProgram } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

/** Part of util-linux, which gives a program a pseudo-terminal. */
const terminalProgram = 'script';
const hasScript =
  spawnSync(terminalProgram, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
const reason = hasScript ? '' : ' (skipped: script of util-linux is not installed)';

/** The program on a pseudo-terminal; all it shows comes out as standard output. */
function onTerminal(args: readonly string[], options: RunOptions) {
  const command = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
  return startProgram(terminalProgram, ['-qec', command, '/dev/null'], {
    ...options,
    env: { TERM: 'xterm-256color', ...options.env },
  });
}

test.skipIf(!hasScript)(`findings are coloured on a terminal${reason}`, async () => {
  const { stdout } = await onTerminal(['doctor'], { cwd: temporaryDirectory() }).ended;
  expect(stdout).toContain('\u001b[32mok');
});

test.skipIf(!hasScript)(`NO_COLOR is honoured${reason}`, async () => {
  const { stdout } = await onTerminal(['doctor'], { cwd: temporaryDirectory(), env: { NO_COLOR: '1' } })
    .ended;
  expect(stdout).toMatch(/^ok {4}configuration/m);
  expect(stdout).not.toContain('\u001b[');
});

test.skipIf(!hasScript)(
  `a flight is summed up on a terminal, and is JSON if asked for${reason}`,
  async () => {
    const args = ['trajectory', 'sac', join(repositoryRoot, 'docs/examples/flight.json'), '--demo'];
    const options = { cwd: temporaryDirectory() };
    const { stdout } = await onTerminal(args, options).ended;
    expect(stdout).toMatch(/contrails form on +\d+ km/);
    expect(stdout).toMatch(/FL +\d+ \|[~-]/);
    const json = await onTerminal([...args, '--json'], options).ended;
    expect(JSON.parse(/\{.*\}/.exec(json.stdout)?.[0] ?? '')).toHaveProperty('sac');
  },
);

test.skipIf(!hasScript)(`init asks one question at a time${reason}`, async () => {
  const cwd = temporaryDirectory();
  const running = onTerminal(['init', '--no-sync'], { cwd, hasInput: true });
  for (const [question, answer] of [
    [/past days .*\?/, 'tomorrow'],
    [/--when is tomorrow; .*past days .*\?/s, '2024-06-15'],
    [/Where: .*\?/, '-60,30,10,70'],
    [/receiver, or none\?/, ''],
  ] as const) {
    await running.line(question);
    running.type(answer);
  }
  expect((await running.ended).code).toBe(0);
  expect(readFileSync(join(cwd, 'contrails.yaml'), 'utf8')).toContain(
    'met sync era5 --from 2024-06-15 --to 2024-06-15 --bbox=-60,30,10,70',
  );
});

test.skipIf(!hasScript)(`progress is a bar on a terminal${reason}`, async () => {
  const data = temporaryDirectory();
  const log = createLog({ level: 'error', format: 'json' });
  const { jobs, close } = await openJobsOnly(
    loadConfig({ environment: { CONTRAILS_DATA: data }, directory: data }),
    log,
  );
  onTestFinished(close);
  const steps = Promise.withResolvers<void>();
  const half = handleJob(maintenanceKind, async (_, { progress }) => {
    progress(0.5);
    await steps.promise;
  });
  jobs.work([half], { concurrency: 1, log });
  const { id } = await jobs.enqueue(maintenanceKind, {});
  const watching = onTerminal(['jobs', 'watch', id, '--data', data], {});
  await until('half is drawn', () => /█+░+ 50 %/.test(watching.output.stdout));
  steps.resolve();
  const { code, stdout } = await watching.ended;
  expect(stdout).toMatch(/100 %, .* %\/s/);
  expect(code).toBe(0);
});
