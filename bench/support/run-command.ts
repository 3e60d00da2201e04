/** Command lines of the program in separate processes, with what they spend. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const CONTRAILS = join(import.meta.dirname, '../../packages/cli/bin/contrails.mjs');

export interface Spent {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

/** Standard output goes to standard error: tables of figures are alone in it. */
export async function runCommand(args: readonly string[]): Promise<Spent> {
  const startedMs = performance.now();
  const program = `process.on('exit', () => process.send?.(process.resourceUsage()));`;
  const hook = `data:text/javascript,${encodeURIComponent(program)}`;
  const child = spawn(process.execPath, ['--import', hook, CONTRAILS, ...args], {
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  let usage: NodeJS.ResourceUsage | undefined;
  child.on('message', (message) => {
    usage = message as NodeJS.ResourceUsage;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0 || usage === undefined) throw new Error(`contrails ${args.join(' ')} ended with ${code}`);
  return {
    seconds: (performance.now() - startedMs) / 1000,
    cpuSeconds: (usage.userCPUTime + usage.systemCPUTime) / 1e6,
    peakMiB: usage.maxRSS / 1024,
  };
}
