import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTools } from './tools.ts';

/**
 * Python programs of the tests take longer to load their libraries than to do their work. `$TEST_PYTHON` is a Python that
 * runs a program in a copy of a process that has loaded them, when the first program comes.
 */
export default async function startWarmPython(): Promise<() => Promise<void>> {
  const { python } = readTools();
  if (python === null) return async () => {};
  const folder = join(tmpdir(), 'python');
  mkdirSync(folder);
  const socket = join(folder, 'socket');
  const program = (name: string) => join(import.meta.dirname, 'python', name);
  const server = spawn(python, [program('server.py'), socket], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // A copy of a process has none of its threads.
    env: { ...process.env, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1' },
  });
  const ended = once(server, 'exit');
  await Promise.race([once(server.stdout, 'data'), ended]);
  const path = join(folder, 'python');
  // Without the packages of the environment, which it does not need.
  const command = [python, '-S', '-E', program('client.py'), socket].map(quoted).join(' ');
  writeFileSync(path, `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(path, 0o755);
  process.env.TEST_PYTHON = path;
  return async () => {
    server.stdin.end();
    await ended;
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
