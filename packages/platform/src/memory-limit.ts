import { totalmem } from 'node:os';
import type { PlatformConfig } from './config/load.ts';

const MEBIBYTE = 2 ** 20;
/** Left to the system and to what a process takes for a moment: a share of the memory, and at least this much [bytes]. */
const RESERVE_SHARE = 0.1;
const MIN_RESERVE_BYTES = 128 * MEBIBYTE;

/** The memory this process may use, which in a container is less than the machine has. */
export function memoryLimitBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** Resident memory beyond which a process takes no more work (`server.memory_mib`) [bytes]. */
export function workMemoryBytes(
  { server }: Pick<PlatformConfig, 'server'>,
  limitBytes = memoryLimitBytes(),
): number {
  if (server.memory_mib !== 'auto') return server.memory_mib * MEBIBYTE;
  return Math.floor(limitBytes - Math.max(MIN_RESERVE_BYTES, RESERVE_SHARE * limitBytes));
}
