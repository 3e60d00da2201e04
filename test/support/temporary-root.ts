import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A run of the tests leaves nothing in the system's temporary folder: all of it happens in one folder, with a
 * blank in its path, because users have some in theirs.
 */
export default function makeTemporaryRoot(): () => void {
  const root = mkdtempSync(join(tmpdir(), 'contrails tests '));
  // PostgreSQL refuses to run as root, and as another user it has to pass through this folder.
  chmodSync(root, 0o755);
  // In a separate session: Ctrl-C goes to every process of the terminal.
  spawn(process.execPath, [join(import.meta.dirname, 'guard.ts'), root], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }).unref();
  process.env.TMPDIR = root;
  // Programs that tests start would compile their sources again for every test file.
  process.env.NODE_COMPILE_CACHE = join(root, 'compile-cache');
  return () => rmSync(root, { recursive: true, force: true, maxRetries: 10 });
}
