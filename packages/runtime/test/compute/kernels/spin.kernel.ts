import { defineKernel } from '../../../src/compute/index.ts';

interface SpinInput {
  readonly ms: number;
  /** Word 0 counts blocks begun, word 1 blocks finished. */
  readonly seen?: Int32Array<SharedArrayBuffer>;
  readonly polite?: boolean;
}

/** Works for a time; a polite one looks whether the caller is still there. */
export default defineKernel<SpinInput, string>(({ ms, seen, polite }) => (_index, context) => {
  if (seen) Atomics.add(seen, 0, 1);
  if (seen) Atomics.notify(seen, 0);
  const startedMs = performance.now();
  while (performance.now() - startedMs < ms) {
    if (polite) context.throwIfCancelled();
    context.progress((performance.now() - startedMs) / ms);
  }
  if (seen) Atomics.add(seen, 1, 1);
  return 'spun';
});
