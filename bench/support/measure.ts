/**
 * Nanoseconds per element of a function that works on `elements` of them: CPU time of this thread, which other
 * programs on the machine do not count into, and the best of many runs.
 */
export function bestNanoseconds(elements: number, work: () => unknown, runs = 40): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, user + system);
  }
  return (best * 1000) / elements;
}
