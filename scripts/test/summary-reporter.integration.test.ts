import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../test/support/tools.ts';

test('a run with a failed test fails, also where a library ends the process as successful', () => {
  const vitest = join(repositoryRoot, 'node_modules/vitest/vitest.mjs');
  const config = join(import.meta.dirname, 'failing-run/vitest.config.ts');
  const { status, stdout } = spawnSync(process.execPath, [vitest, 'run', '--config', config], {
    encoding: 'utf8',
    env: { ...process.env, VITEST: undefined, VITEST_WORKER_ID: undefined, VITEST_POOL_ID: undefined },
  });
  expect(stdout).toContain('0 passed, 1 failed, 0 skipped');
  expect(status).toBe(1);
});
