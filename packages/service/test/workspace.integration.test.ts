import { readdirSync } from 'node:fs';
import { withWorkspace } from '@contrails/platform/workspace';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runProgram } from '../../../test/support/programs.ts';
import { temporaryDirectory } from '../../../test/support/temporary.ts';

const PROGRAM = new URL('support/programs/hold-folders.ts', import.meta.url);
const own = process.env.TMPDIR;
let directory = '';

beforeEach(async () => {
  directory = await temporaryDirectory();
  process.env.TMPDIR = directory;
});

afterEach(() => {
  process.env.TMPDIR = own;
});

const folders = () => readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());

test('a process that starts keeps the folders of one that works in another process namespace', async () => {
  const other = runProgram(PROGRAM);
  try {
    await other.firstLine;
    const held = folders().map(({ name }) => name);
    expect(held).toHaveLength(4);
    await withWorkspace({ memoryMiB: 64 }, async () => undefined);
    expect(folders().map(({ name }) => name)).toEqual(held);
  } finally {
    await other.kill();
  }
});

test('a process that starts removes every folder that a killed one has left', async () => {
  const killed = runProgram(PROGRAM);
  await killed.firstLine;
  await killed.kill();
  expect(folders()).toHaveLength(4);
  await withWorkspace({ memoryMiB: 64 }, async () => undefined);
  expect(readdirSync(directory)).toEqual([]);
});
