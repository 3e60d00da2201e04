import { cpuNanoseconds } from './cpu-clock.ts';

const WARM_UP_NS = 5e8;

/**
 * Nanoseconds per element of a function that works on `elements` of them: CPU time of this thread, which other
 * programs on the machine do not count into, and the best of many runs once the code is warm.
 */
export function bestNanoseconds(elements: number, work: () => unknown, runs = 40): number {
  const warm = cpuNanoseconds() + WARM_UP_NS;
  while (cpuNanoseconds() < warm) work();
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const before = cpuNanoseconds();
    work();
    best = Math.min(best, cpuNanoseconds() - before);
  }
  return best / elements;
}
