import { readFileSync } from 'node:fs';

/**
 * The most memory that this process has held. `maxRSS` of a process counts that of the one which started it, so it is used
 * only where there is nothing better.
 */
export function peakMemoryBytes(): number {
  if (process.platform !== 'linux') return 1024 * process.resourceUsage().maxRSS;
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return 1024 * Number(kib);
}
