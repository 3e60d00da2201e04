import { readFileSync } from 'node:fs';
import type { DemoServer } from '../../../../bench/support/demo-server.ts';

export interface MemoryUse {
  readonly residentMib: number;
  /** [MiB] */
  readonly kinds: Readonly<Record<string, number>>;
  /** By state, of clients and of the demo. */
  readonly jobs: Readonly<Record<string, number>>;
}

const MEBIBYTE = 2 ** 20;

/** Of a server whose metrics are public. */
export async function readMemory({ address, pid }: DemoServer): Promise<MemoryUse> {
  const [, kibibytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const text = await fetch(`${address}/metrics`)
    .then((answer) => answer.text())
    .catch(() => '');
  const read = (pattern: RegExp, unit = 1) =>
    Object.fromEntries(
      [...text.matchAll(pattern)].map(([, name, number]) => [name ?? '', Math.round(Number(number) / unit)]),
    );
  return {
    residentMib: Math.round(Number(kibibytes) / 1024),
    kinds: read(/^contrails_memory_bytes\{kind="(\w+)"\} (\S+)$/gm, MEBIBYTE),
    jobs: read(/^contrails_jobs\{state="(\w+)"\} (\S+)$/gm),
  };
}

export function shownMemory({ residentMib, kinds, jobs }: MemoryUse): string {
  const list = (numbers: object) =>
    Object.entries(numbers)
      .map(([name, number]) => `${name} ${number}`)
      .join(', ');
  return `resident ${residentMib} MiB  (${list(kinds)})  jobs: ${list(jobs)}`;
}
