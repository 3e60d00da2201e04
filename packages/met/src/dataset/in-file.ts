import { MetError } from '../errors.ts';

/** What a decoder finds wrong is an error of the file, also where it did not expect it. */
export async function inFile<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof MetError) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new MetError('unreadable', `${path} cannot be read: ${message}`, { path }, { cause });
  }
}
