import { totalmem } from 'node:os';
import type { PlatformConfig } from './config/load.ts';

const MEBIBYTE = 2 ** 20;
/** Left to the system and to what a process takes for a moment: a share of the memory, of a small one up to so much more. */
const RESERVE_SHARE = 0.1;
const SMALL_RESERVE = { share: 0.2, bytes: 400 * MEBIBYTE };

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
  const small = Math.min(SMALL_RESERVE.bytes, SMALL_RESERVE.share * limitBytes);
  return Math.floor(limitBytes - Math.max(small, RESERVE_SHARE * limitBytes));
}
