import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { repositoryRoot } from './tools.ts';

/** Every test file has its own temporary folder, so concurrent files do not interfere. */
const TICKS_PER_SECOND = 100;
const outer = tmpdir();
const own = mkdtempSync(join(outer, 'file '));
chmodSync(own, 0o755);
process.env.TMPDIR = own;

const before = cpuSeconds();

afterAll(() => {
  const log = process.env.TEST_CPU;
  if (log !== undefined) {
    const file = relative(repositoryRoot, expect.getState().testPath ?? '');
    appendFileSync(log, `${(cpuSeconds() - before).toFixed(1)}\t${file}\n`);
  }
  process.env.TMPDIR = outer;
  rmSync(own, { recursive: true, force: true, maxRetries: 10 });
});

/** Of this process and of those it started that have ended; 0 where there is no `/proc`. */
function cpuSeconds(): number {
  if (process.env.TEST_CPU === undefined || !existsSync('/proc/self/stat')) return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_PER_SECOND;
}
