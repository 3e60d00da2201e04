import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A program of the tests that runs as a separate process. */
export interface Program {
  /** Resolves with the lines it wrote; rejects with its errors when it fails. */
  readonly finished: Promise<string[]>;
  /** What it writes first; rejects when it ends without a word. */
  readonly firstLine: Promise<string>;
  /** The whole lines it has written so far. */
  lines(): string[];
  /** Ends it without a chance to clean up. */
  kill(): Promise<void>;
  /** Lets it stand still, as a machine that swaps or sleeps would. */
  stall(ms: number): Promise<void>;
}

export function runProgram(location: URL, args: readonly string[] = []): Program {
  const child = spawn(process.execPath, [fileURLToPath(location), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  const lines = () => output.split('\n').slice(0, -1);
  const written = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (lines().length > 0) resolve();
    });
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const exit = once(child, 'close');
  const finished = exit.then(([code]) => {
    if (code !== 0) throw new Error(`the program ended with ${code}:\n${errors}`);
    return lines();
  });
  const firstLine = Promise.race([written, finished]).then(() => {
    const [line] = lines();
    if (line === undefined) throw new Error('the program ended without a word');
    return line;
  });
  // A test may kill the program on purpose and ignore how it ended.
  for (const outcome of [finished, firstLine]) outcome.catch(() => undefined);
  return {
    finished,
    firstLine,
    lines,
    async stall(ms) {
      child.kill('SIGSTOP');
      await sleep(ms);
      child.kill('SIGCONT');
    },
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
