import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program of the tests that runs as a process of its own. */
export interface Program {
  readonly process: ChildProcess;
  /** Resolves with the lines it wrote; rejects with its errors when it fails. */
  readonly finished: Promise<string[]>;
  /** Resolves when this line has been written. */
  line(text: string): Promise<void>;
  /** Ends it without a chance to clean up. */
  kill(): Promise<void>;
}

export function runProgram(location: URL, args: readonly string[] = []): Program {
  const child = spawn(process.execPath, [fileURLToPath(location), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  const waiting = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    for (const check of waiting) check();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const lines = () => output.split('\n').slice(0, -1);
  const exit = once(child, 'close');
  const finished = exit.then(([code]) => {
    if (code !== 0) throw new Error(`the program ended with ${code}:\n${errors}`);
    return lines();
  });
  // A test may kill the program on purpose and never look at how it ended.
  finished.catch(() => undefined);
  return {
    process: child,
    finished,
    line: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!lines().includes(text)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        finished.then(
          () => reject(new Error(`the program ended without writing ${text}:\n${output}`)),
          reject,
        );
        check();
      }),
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
