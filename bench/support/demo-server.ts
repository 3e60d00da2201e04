import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { repositoryRoot } from '../../test/support/tools.ts';

const PROGRAM = join(repositoryRoot, 'packages', 'cli', 'bin', 'contrails.mjs');

export interface DemoServer {
  readonly address: string;
  readonly key: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The service with its demonstration, as users start it; its workers compute the forecast meanwhile. */
export async function startDemoServer(
  data: string,
  environment: Readonly<Record<string, string>> = {},
  workers: 'workers' | 'no workers' = 'no workers',
  /** A command that runs the command that follows it. */
  through: readonly string[] = [],
): Promise<DemoServer> {
  const [command = process.execPath, ...before] = [...through, process.execPath];
  const child = spawn(
    command,
    [
      ...before,
      ...[PROGRAM, 'serve', '--demo', '--port', '0', '--data', data],
      ...(workers === 'workers' ? [] : ['--no-workers']),
    ],
    {
      env: { ...process.env, CONTRAILS_LOG__LEVEL: 'warn', ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let [address, key] = ['', ''];
  for await (const line of createInterface(child.stdout)) {
    address ||= /ready at (\S+)/.exec(line)?.[1] ?? '';
    key ||= /demo key: +(\S+)/.exec(line)?.[1] ?? '';
    if (address !== '' && key !== '') break;
  }
  // A pipe that is full would stop the server.
  child.stdout.resume();
  return {
    address,
    key,
    pid: child.pid ?? 0,
    async stop() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
