import { threadId } from 'node:worker_threads';
import { defineKernel } from '../../../src/compute/index.ts';

/** Answers which thread ran the block and how often that thread had started this task. */
let starts = 0;
export default defineKernel<{ ms: number }, { thread: number; starts: number }>(({ ms }) => {
  starts += 1;
  const mine = starts;
  return () => {
    const startedMs = performance.now();
    while (performance.now() - startedMs < ms);
    return { thread: threadId, starts: mine };
  };
});
