import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../bin/contrails.mjs', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

/** A running `contrails`; everything it printed so far is in `output`. */
export interface Running {
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Waits for a line and returns the match. */
  line(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<RegExpExecArray>;
  kill(signal?: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** Runs the real program to its end. */
export function contrails(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return start(args, options).ended;
}

/** Starts the real program. */
export function start(args: readonly string[], options: RunOptions = {}): Running {
  return startProgram(process.execPath, [PROGRAM, ...args], options);
}

/** Test files run beside each other: more threads would only start and warm up for a moment of work. */
const FEW_THREADS = { CONTRAILS_WORKERS__THREADS: '1' };

/** Starts any program, without the settings of the machine the tests run on. */
export function startProgram(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: RunOptions = {},
): Running {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CONTRAILS_.*|NO_COLOR|FORCE_COLOR|CI)$/.test(name)),
  );
  const child = spawn(command, args, {
    cwd,
    env: { ...clean, ...FEW_THREADS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  const looking = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const look of looking) look();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return {
    output,
    ended,
    kill: (signal = 'SIGTERM') => void child.kill(signal),
    line: (pattern, stream = 'stdout') =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output[stream]);
          if (match === null) return;
          looking.delete(look);
          resolve(match);
        };
        looking.add(look);
        look();
        ended.then(({ code, signal, stderr }) =>
          reject(new Error(`the program ended (${signal ?? code}) before it printed ${pattern}: ${stderr}`)),
        );
      }),
  };
}
