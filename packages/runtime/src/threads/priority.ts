import { getPriority, platform, setPriority } from 'node:os';

/**
 * Lowers the priority of this thread to a niceness; one that is as nice stays. Only Linux has priorities of threads;
 * elsewhere the call would change the whole process.
 */
export function lowerPriority(niceness: number): void {
  if (platform() !== 'linux' || niceness <= getPriority()) return;
  try {
    setPriority(niceness);
  } catch {
    // A sandbox may forbid it; then all threads keep the same priority.
  }
}
