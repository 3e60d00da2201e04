import { execFileSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary.ts';

/** For the name of tests that need one. */
export const NO_SMALL_DISK = '(skipped: a small disk can only be mounted by root)';

/** A disk of so many bytes; undefined where it cannot be had. The caller unmounts it. */
export async function mountSmallDisk(bytes: number): Promise<string | undefined> {
  const directory = await temporaryDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', directory], { stdio: 'ignore' });
    return directory;
  } catch {
    return undefined;
  }
}

export function unmount(directory: string): void {
  execFileSync('umount', [directory]);
}

/** Takes all the space that is left; returns how to free it again. */
export async function fillDisk(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, 'ballast');
  const file = await open(path, 'w');
  try {
    for (let size = 2 ** 20; size >= 1; ) {
      try {
        await file.write(Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    await file.close();
  }
  return () => rm(path);
}
