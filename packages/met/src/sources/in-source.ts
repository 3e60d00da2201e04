import { MetError } from '../errors.ts';

/** Errors name the source they come from. */
export async function inSource<T>(name: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof MetError)) throw error;
    throw new MetError(
      error.kind,
      `${name}: ${error.message}`,
      { ...error.facts, source: name },
      { cause: error },
    );
  }
}
