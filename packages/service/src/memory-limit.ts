import { totalmem } from 'node:os';

/** The memory this process may use, which in a container is less than the machine has. */
export function memoryLimitBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
