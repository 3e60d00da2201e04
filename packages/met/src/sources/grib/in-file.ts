import { MetError } from '../../errors.ts';

/** Whatever a decoder finds wrong is an error of the file; the codec of JPEG 2000 throws errors of its own. */
export async function inFile<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof MetError) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new MetError('unreadable', `${path}: ${message}`, { path }, { cause });
  }
}
