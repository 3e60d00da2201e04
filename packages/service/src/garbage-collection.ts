import { setFlagsFromString } from 'node:v8';

/**
 * Lets garbage lie until the heap is nearly full, and then looks for it between requests. Of itself V8 begins to mark
 * all that is alive as soon as less is left than the young generation could hold, which in a small heap is always: once a
 * second, and whoever asks meanwhile waits 30 ms longer.
 */
export function collectSeldom(): void {
  setFlagsFromString('--incremental-marking-soft-trigger=80');
}
