#!/usr/bin/env node
/**
 * Starts the program. The sources are TypeScript, which Node runs as they are from 22.18 on; under an older Node
 * (this file alone must run on it) the one that the set-up script put into the checkout takes over.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  if (['serve', 'worker'].includes(process.argv[2])) limitMemory();
  module.enableCompileCache();
  const { main } = await import('../src/main.ts');
  await main(process.argv.slice(2));
} else {
  const checkout = join(fileURLToPath(import.meta.url), '..', '..', '..', '..');
  const node = findRuntime(join(checkout, '.runtime', 'node_modules'));
  if (node === undefined) {
    const cause = `Node ${process.versions.node} is too old to run contrails`;
    process.stderr.write(
      `contrails: ${cause}; install Node 22.18 or later, or run "npm run setup" in the checkout\n`,
    );
    process.exitCode = 1;
  } else {
    become(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
  }
}

/**
 * Young objects of a server may take 128 MiB, of which it uses a fifth, and the allocator of Linux keeps memory for every thread
 * apart. Both can be limited only when a process starts, so this one starts again in its place, where the system can do that.
 */
function limitMemory() {
  const limit = '--max-semi-space-size';
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((option) =>
    option.includes(limit),
  );
  // A parent that talks to this process would lose it.
  const isAlone = process.send === undefined;
  if (given || !isAlone || process.execve === undefined || process.platform === 'win32') return;
  const script = fileURLToPath(import.meta.url);
  process.execve(
    process.execPath,
    [process.argv0, ...process.execArgv, `${limit}=16`, script, ...process.argv.slice(2)],
    { MALLOC_ARENA_MAX: '2', ...process.env },
  );
}

function findRuntime(directory) {
  if (!existsSync(directory)) return undefined;
  return readdirSync(directory)
    .filter((name) => name.startsWith('node-'))
    .flatMap((name) => ['node', 'node.exe'].map((file) => join(directory, name, 'bin', file)))
    .find((file) => existsSync(file));
}

function become(command, args) {
  const child = spawn(command, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(
      `contrails: cannot start ${command} (${error.message}); run "npm run setup" again\n`,
    );
    process.exitCode = 1;
  });
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}
