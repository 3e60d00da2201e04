/**
 * Cleans up after a run of the tests that ended without its tear-down, because of Ctrl-C or a crash: ends the processes
 * that it started and removes its temporary folder. Standard input closes when the run ends, however it ends.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesUnder } from './leftovers.ts';

const MAX_ROUNDS = 50;
const PAUSE_MS = 100;

const [temporaryRoot] = process.argv.slice(2);
if (!temporaryRoot) throw new Error('usage: guard.ts TEMPORARY_ROOT');

process.stdin.resume().on('close', async () => {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = processesUnder(temporaryRoot);
    if (left.length === 0) break;
    for (const { pid } of left) kill(pid);
    await sleep(PAUSE_MS);
  }
  for (const folder of mountsUnder(temporaryRoot)) execFileSync('umount', ['--lazy', folder]);
  rmSync(temporaryRoot, { recursive: true, force: true, maxRetries: 10 });
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended since.
  }
}

/** Small disks that a test has mounted. */
function mountsUnder(root: string): string[] {
  try {
    return readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1]?.replaceAll('\\040', ' ') ?? '')
      .filter((folder) => folder.startsWith(root));
  } catch {
    return [];
  }
}
