/** The mirror of weather archives, with faults on demand. */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTools } from '../../../../test/support/tools.ts';
import { treePath } from './weather-sync.ts';

const SERVER = fileURLToPath(new URL('../reference/weather-sync/server.py', import.meta.url));

export interface Fault {
  /** Regular expression of the path. */
  readonly match: string;
  readonly fault: string;
  readonly times?: number;
  readonly skip?: number;
  readonly method?: string;
}

export interface MirrorRequest {
  readonly method: string;
  readonly path: string;
  readonly range: string | null;
  readonly status: number;
  readonly sent: number;
}

export interface Mirror {
  readonly url: string;
  /** What is served; the test may change it where it is a copy. */
  readonly tree: string;
  faults(...faults: readonly Fault[]): Promise<void>;
  log(): Promise<MirrorRequest[]>;
  reset(): Promise<void>;
  close(): void;
}

export async function startMirror({ copy = false } = {}): Promise<Mirror> {
  const tree = copy ? mkdtempSync(join(tmpdir(), 'tree-')) : treePath();
  if (copy) cpSync(treePath(), tree, { recursive: true });
  const child = spawn(readTools().python ?? 'python3', [SERVER, tree, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()));
    child.once('exit', () => reject(new Error('the mirror ended')));
  });
  const post = async (path: string, body: unknown) => {
    await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  };
  return {
    url,
    tree,
    faults: (...faults) => post('/_faults', faults),
    log: async () => (await (await fetch(`${url}/_log`)).json()) as MirrorRequest[],
    reset: () => post('/_reset', []),
    close: () => void child.kill('SIGKILL'),
  };
}
