import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A group of processes with a limit of memory, which the system enforces by killing. */
export interface MemoryGroup {
  /** A command that runs the command that follows it in the group. */
  readonly through: readonly string[];
  /** How often the system has killed a process of the group. */
  kills(): number;
  remove(): Promise<void>;
}

const ROOTS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', events: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', events: 'memory.events' },
];

/** Makes a control group of version 1 or 2; undefined where this process may not. */
export function createMemoryGroup(bytes: number): MemoryGroup | undefined {
  for (const { root, limit, events } of ROOTS) {
    const path = join(root, `contrails-soak-${process.pid}`);
    try {
      mkdirSync(path);
    } catch {
      continue;
    }
    if (!existsSync(join(path, limit))) {
      rmdirSync(path);
      continue;
    }
    writeFileSync(join(path, limit), String(bytes));
    return {
      through: ['/bin/sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', path],
      kills: () => Number(/oom_kill (\d+)/.exec(readFileSync(join(path, events), 'utf8'))?.[1] ?? 0),
      async remove() {
        // The system takes a moment to notice that the last process is gone.
        for (let attempt = 0; attempt < 50; attempt++) {
          try {
            rmdirSync(path);
            return;
          } catch {
            await sleep(100);
          }
        }
      },
    };
  }
  return undefined;
}
