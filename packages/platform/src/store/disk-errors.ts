import { ContrailsError, UnavailableError } from '@contrails/runtime/errors';

const REMEDIES = new Map([
  ['ENOSPC', 'its disk is full; free some space or move it to a larger disk'],
  ['EDQUOT', "the user's disk quota is used up; raise it or free some space"],
  ['EIO', 'its disk reports an error; check the disk'],
  ['EROFS', 'its file system is read-only; mount it writable'],
  ['EACCES', 'permission is denied; let the user of this process read and write everything below it'],
  ['EPERM', 'permission is denied; let the user of this process read and write everything below it'],
  ['EXDEV', 'it spans several file systems; keep the whole directory on one'],
  ['ENOENT', 'a part of it is gone; check that its disk is mounted, then restart'],
  ['EMFILE', 'too many files are open; raise the limit (ulimit -n)'],
  ['ENFILE', 'too many files are open on this machine; raise the limit (fs.file-max)'],
]);

/** Runs file operations; what the operating system refuses becomes an `UnavailableError` with a remedy. */
export async function onDisk<T>(location: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskError(error, location);
  }
}

export function diskError(error: unknown, location: string): unknown {
  const code = errorCode(error);
  if (error instanceof ContrailsError || code === undefined) return error;
  const remedy = REMEDIES.get(code) ?? `the operating system reports ${code}`;
  return new UnavailableError(`the directory ${location} cannot be used: ${remedy}`, {
    cause: error,
    facts: { location, code },
  });
}

/** `ENOENT` and its like; undefined for everything that does not come from the operating system. */
export function errorCode(error: unknown): string | undefined {
  const fromSystem = error instanceof Error && 'syscall' in error && 'code' in error;
  return fromSystem && typeof error.code === 'string' ? error.code : undefined;
}
