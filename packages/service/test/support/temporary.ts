import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A directory of its own that is removed when the test file ends. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'contrails-test-'));
  made.push(directory);
  return directory;
}

const made: string[] = [];
afterAll(async () => {
  await Promise.all(made.map((directory) => rm(directory, { recursive: true, force: true })));
});
