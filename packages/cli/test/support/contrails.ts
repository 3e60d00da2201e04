import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CommandLine } from './programs/warm.ts';

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
  /** The program can be typed to; otherwise it has no input. */
  readonly hasInput?: boolean;
}

/** A running `contrails`; everything it printed so far is in `output`. */
export interface Running {
  readonly pid: number | undefined;
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Waits for a line and returns the match. */
  line(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<RegExpExecArray>;
  kill(signal?: NodeJS.Signals): void;
  /** Types a line, where the program has an input. */
  type(text: string): void;
  readonly ended: Promise<Ended>;
}

/**
 * Runs a command line to its end, in a process that the commands before it have warmed up. `start` starts the program in a
 * process of its own, as users do.
 */
export function contrails(args: readonly string[], { cwd, env = {} }: RunOptions = {}): Promise<Ended> {
  const ended = last.then(() => {
    warm ??= startWarm();
    return warm.run({ args, cwd, env: environmentWith(env), mark: MARK });
  });
  last = ended.catch(() => undefined);
  return ended;
}

let last: Promise<unknown> = Promise.resolve();
/** Serves all test files of this process, and ends with it. */
let warm: Warm | undefined;

interface Warm {
  run(line: CommandLine): Promise<Ended>;
}

const MARK = '\u0000end of the command\n';

function startWarm(): Warm {
  const program = fileURLToPath(new URL('programs/warm.ts', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output = { stdout: '', stderr: '' };
  let code: number | undefined;
  let look = () => {};
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      look();
    });
  }
  child.on('message', (message) => {
    code = Number(message);
    look();
  });
  // Not `close`, which Node never emits for a child that was disconnected.
  const streams = [child.stdout, child.stderr].map((stream) => stream !== null && once(stream, 'close'));
  const closed = Promise.all([once(child, 'exit'), ...streams]).then(([[code, signal]]) => {
    warm = undefined;
    return { code, signal } as Pick<Ended, 'code' | 'signal'>;
  });
  const take = () => {
    const taken = { ...output };
    output.stdout = '';
    output.stderr = '';
    return taken;
  };
  return {
    async run(line) {
      code = undefined;
      child.send(line);
      const answered = new Promise<Ended>((resolve) => {
        look = () => {
          if (code === undefined || ![output.stdout, output.stderr].every((text) => text.endsWith(MARK)))
            return;
          const { stdout, stderr } = take();
          const [head, tail] = [stdout.slice(0, -MARK.length), stderr.slice(0, -MARK.length)];
          resolve({ code, signal: null, stdout: head, stderr: tail });
        };
      });
      return Promise.race([answered, closed.then((how) => ({ ...how, ...take() }))]);
    },
  };
}

/** Starts the real program. */
export function start(args: readonly string[], options: RunOptions = {}): Running {
  return startProgram(process.execPath, [PROGRAM, ...args], options);
}

/** Test files run beside each other: more threads would only start and warm up for a moment of work. */
const FEW_THREADS = { CONTRAILS_WORKERS__THREADS: '1' };

/** Without the settings of the machine the tests run on. */
function environmentWith(env: Record<string, string>): Record<string, string | undefined> {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(CONTRAILS_.*|NO_COLOR|FORCE_COLOR|CI)$/.test(name),
  );
  return { ...Object.fromEntries(clean), ...FEW_THREADS, ...env };
}

/** Starts any program. */
export function startProgram(
  command: string,
  args: readonly string[],
  { cwd, env = {}, hasInput = false }: RunOptions = {},
): Running {
  const child = spawn(command, args, {
    cwd,
    env: environmentWith(env),
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  const looking = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const look of looking) look();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return {
    pid: child.pid,
    output,
    ended,
    kill: (signal = 'SIGTERM') => void child.kill(signal),
    type: (text) => void child.stdin?.write(`${text}\n`),
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
