import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Every test file has a temporary folder of its own, so that it sees nothing of those that run beside it. */
const outer = tmpdir();
const own = mkdtempSync(join(outer, 'file '));
chmodSync(own, 0o755);
process.env.TMPDIR = own;

afterAll(() => {
  process.env.TMPDIR = outer;
  rmSync(own, { recursive: true, force: true, maxRetries: 10 });
});
