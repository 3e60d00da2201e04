import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { repositoryRoot } from '../../test/support/tools.ts';

const PROGRAM = join(repositoryRoot, 'packages', 'cli', 'bin', 'contrails.mjs');

export interface DemoServer {
  readonly address: string;
  readonly key: string;
  stop(): Promise<void>;
}

/** The service with its demonstration and without workers, as users start it. */
export async function startDemoServer(
  data: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<DemoServer> {
  const child = spawn(
    process.execPath,
    [PROGRAM, 'serve', '--demo', '--no-workers', '--port', '0', '--data', data],
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
  return {
    address,
    key,
    async stop() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
