import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new directory in the temporary folder of the test file, with which it goes away. */
export function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'directory-'));
}
