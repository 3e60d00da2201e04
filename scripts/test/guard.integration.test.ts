import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../test/support/tools.ts';

const missing = existsSync('/proc/self/environ') ? '' : ' (skipped: there is no /proc on this machine)';

test.skipIf(missing !== '')(
  `a run that ends without its tear-down leaves neither processes nor its folder behind${missing}`,
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'run of tests '));
    writeFileSync(join(root, 'left over'), '');
    const forever = ['-e', 'setInterval(() => undefined, 1000)'];
    const leftover = spawn(process.execPath, forever, { env: { TMPDIR: join(root, 'file') } });
    const stranger = spawn(process.execPath, forever, { env: { TMPDIR: tmpdir() } });
    const killed = once(leftover, 'exit');
    await Promise.all([once(leftover, 'spawn'), once(stranger, 'spawn')]);

    const guard = spawn(process.execPath, [join(repositoryRoot, 'test/support/guard.ts'), root]);
    const ended = once(guard, 'exit');
    // As the system does with the pipes of a process that has ended.
    guard.stdin.end();

    expect(await ended).toEqual([0, null]);
    expect(await killed).toEqual([null, 'SIGKILL']);
    expect(existsSync(root)).toBe(false);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill('SIGKILL');
  },
);
