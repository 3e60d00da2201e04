import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/**
 * Every test file has a temporary folder of its own, which goes away with all that its tests and their processes left
 * there. There is a blank in its path, because users have some in theirs.
 */
const outer = tmpdir();
const own = mkdtempSync(join(outer, 'contrails test '));
// PostgreSQL refuses to run as root, and as another user it has to pass through this folder.
chmodSync(own, 0o755);
process.env.TMPDIR = own;

afterAll(() => {
  process.env.TMPDIR = outer;
  rmSync(own, { recursive: true, force: true, maxRetries: 10 });
});
