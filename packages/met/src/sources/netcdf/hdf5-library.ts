import { ready } from 'h5wasm/node';

export { isHdf5, startOf } from './file-start.ts';

// Loaded here, so its loading time does not count against the first file.
export const library: Awaited<typeof ready> = await ready;
// Without it, a missing filter or a damaged block silently gives zeros.
library.activate_throwing_error_handler();

/** Why reading failed: the library reports its whole call stack, and the cause is in one line of it. */
export function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  const [, filter] = /required filter '([^']*)'/.exec(text) ?? [];
  if (filter !== undefined) return `it is compressed with ${filter}; repack it with zlib (nccopy -d 1)`;
  if (/truncated file/.test(text)) return 'it is truncated; fetch it again';
  const innermost = [...text.matchAll(/in \w+\(\): (.*)/g)].at(-1)?.[1];
  return `${innermost ?? text.split('\n', 1)[0]}; fetch it again`;
}

/** Text such as "0005" counts as its number. */
export function numbersOf(value: unknown): Float64Array {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string') {
    return Float64Array.of(Number(value));
  }
  return Float64Array.from((value ?? []) as ArrayLike<number | bigint | string>, Number);
}
