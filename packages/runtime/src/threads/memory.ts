/** Memory of the thread that calls these functions. */
import { totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** JavaScript heap and buffers, without memory that the thread shares with others [bytes]. */
export function threadHeapBytes(): number {
  const { total_heap_size, external_memory } = getHeapStatistics();
  return total_heap_size + external_memory;
}

/** Processes with less memory collect more often, to have room for work [bytes]. */
const SMALL_BYTES = 3 * 2 ** 30;

/**
 * Lets the heap grow to four times what is in use before all of it is collected, the most that V8 grows it by itself, and where
 * memory is small to one and a half times. V8 counts arrays as heap: where a small heap uses many of them for a moment, it
 * would collect all of it many times a second, on other threads too. V8 has such settings for the whole process only.
 */
export function collectLessOften(memoryBytes = Number.POSITIVE_INFINITY): void {
  const there = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const bytes = Math.min(there, memoryBytes);
  setFlagsFromString(`--heap-growing-percent=${bytes < SMALL_BYTES ? 50 : 300}`);
}

let collect: ((options: { readonly type: 'minor' | 'major' }) => void) | undefined;

/** V8 begins to collect in steps when arrays have grown by 64 MiB and more since it collected before. */
const BYTES_TO_BEGIN = 2 ** 27;

/**
 * Shared memory does not count as memory of a thread, so a thread with little else to collect would keep it long after
 * the rest of the process has released it. A `minor` collection (young objects) takes a tenth of a millisecond, a `full` one
 * up to a fifth of a second; one `soon` is full, in steps between other work.
 */
export function collectGarbage(type: 'minor' | 'full' | 'soon'): void {
  if (type === 'soon') {
    // Memory that is never written takes none of the system. V8 counts it until it is released, and would collect in one go.
    const claimed = new ArrayBuffer(BYTES_TO_BEGIN);
    setImmediate(() => claimed.transfer(0));
    return;
  }
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as NonNullable<typeof collect>;
  }
  collect({ type: type === 'minor' ? 'minor' : 'major' });
}

/**
 * Buffers that are garbage soon are outside of the heap: when they have grown by 64 MiB, V8 would collect all garbage, and not
 * only the young.
 */
const MAX_SHORT_LIVED_BYTES = 2 ** 23;
let shortLivedBytes = 0;

/** To be called for buffers that are used once; removes those that are left before they become much. */
export function countShortLived(bytes: number): void {
  shortLivedBytes += bytes;
  if (shortLivedBytes < MAX_SHORT_LIVED_BYTES) return;
  shortLivedBytes = 0;
  collectGarbage('minor');
}
