import { setFlagsFromString } from 'node:v8';

/**
 * Defers garbage collection until the heap is nearly full, and then runs it between requests. By default V8 starts
 * marking as soon as the free space is smaller than the young generation. In a small heap that is always the case: V8
 * marks once a second, and requests that arrive meanwhile take 30 ms longer.
 */
export function deferGarbageCollection(): void {
  setFlagsFromString('--incremental-marking-soft-trigger=80');
}
