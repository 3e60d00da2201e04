import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../test/support/free-port.ts';

export type Role = 'serve' | 'worker' | 'both';

/** A server or worker that runs as a separate process, with the endpoints and jobs of the trial. */
export interface ServiceProcess {
  readonly role: Role;
  /** Where it answers; without meaning for a worker. */
  readonly address: string;
  /** Resolves when it reports that it is ready; rejects with its log when it ends before. */
  readonly ready: Promise<void>;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  send(signal: NodeJS.Signals): void;
  /** Ends it without a chance to clean up. */
  kill(): Promise<void>;
  log(): string;
}

export interface ServiceSettings {
  readonly data: string;
  /** `embedded`, or the address of a PostgreSQL server. */
  readonly database?: string;
  readonly port?: number;
  /** Limit of its file descriptors. */
  readonly openFiles?: number;
  /** More settings by the names of their variables, such as `CONTRAILS_SERVER__SHUTDOWN_SECONDS`. */
  readonly more?: Readonly<Record<string, string>>;
}

export async function startService(role: Role, settings: ServiceSettings): Promise<ServiceProcess> {
  const service = await spawnService(role, settings);
  await service.ready;
  return service;
}

/** Does not wait until it is ready. */
export async function spawnService(role: Role, settings: ServiceSettings): Promise<ServiceProcess> {
  const port = settings.port ?? (role === 'worker' ? 0 : await freePort());
  const program = fileURLToPath(new URL('./programs/service.ts', import.meta.url));
  const limit = settings.openFiles === undefined ? '' : `ulimit -n ${settings.openFiles}; `;
  const child = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, process.execPath, program, role], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      CONTRAILS_DATA: settings.data,
      CONTRAILS_DATABASE: settings.database ?? 'embedded',
      CONTRAILS_SERVER__PORT: String(port),
      CONTRAILS_LOG__LEVEL: 'warn',
      // A machine that is busy with other tests must not look like an overloaded server.
      CONTRAILS_SERVER__MAX_EVENT_LOOP_DELAY_MS: '60000',
      CONTRAILS_WORKERS__THREADS: '1',
      ...settings.more,
    },
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('is ready')) resolve();
    });
    void ended.then((end) => reject(new Error(`the ${role} ended with ${end} before it was ready:\n${log}`)));
  });
  // A test may kill it before it is ready and never look at this.
  ready.catch(() => undefined);
  return {
    role,
    address: `http://127.0.0.1:${port}`,
    ready,
    ended,
    send: (signal) => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    log: () => log,
  };
}
