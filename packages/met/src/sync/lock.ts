import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FileLock, lockFile } from '@contrails/runtime';
import { SyncError } from './failures.ts';
import { readJson, writeJson } from './folder.ts';

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly started: string;
}

const LOOK_MS = 200;

/** The lock of a folder, for one process at a time; the kernel releases it with the process. */
export async function lockFolder(
  folder: string,
  what: string,
  { waitMs = 0, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {},
): Promise<FileLock> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, '.lock.held');
  await writeFile(path, '', { flag: 'a' });
  const holder = join(folder, '.lock');
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const lock = await lockFile(path, 'exclusive');
    if (lock !== undefined) {
      const started = new Date().toISOString();
      await writeJson(holder, { pid: process.pid, host: hostname(), started }).catch((error: unknown) => {
        lock.release();
        throw error;
      });
      return lock;
    }
    if (performance.now() >= untilMs) throw locked(await readJson<Holder>(holder), what);
    await sleep(LOOK_MS, undefined, signal === undefined ? {} : { signal });
  }
}

function locked(holder: Holder | undefined, what: string): SyncError {
  const who = holder === undefined ? '' : ` (pid ${holder.pid} since ${holder.started.slice(11, 16)})`;
  return new SyncError(`another process${who} syncs ${what}`, 'wait for it, or --wait', { kind: 'locked' });
}
