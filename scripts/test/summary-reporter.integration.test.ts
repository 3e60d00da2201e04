import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../test/support/tools.ts';

const { status, stdout } = spawnSync(
  process.execPath,
  [
    join(repositoryRoot, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    join(import.meta.dirname, 'failing-run/vitest.config.ts'),
  ],
  {
    encoding: 'utf8',
    env: { ...process.env, VITEST: undefined, VITEST_WORKER_ID: undefined, VITEST_POOL_ID: undefined },
  },
);

test('a run with a failed test fails, also where a library ends the process as successful', () => {
  expect(stdout).toContain('1 passed, 1 failed, 0 skipped');
  expect(status).toBe(1);
});

test('tests that passed only when they were repeated are counted and named', () => {
  expect(stdout).toContain(
    'Failed at first, passed when repeated (1):\n  fails.fixture.ts > passes when it is repeated\n',
  );
});
