import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3 } from '@aws-sdk/client-s3';
import { freePort } from './free-port.ts';
import { readTools } from './tools.ts';
import { until } from './until.ts';

/** How to reach an S3-compatible server, in the form the store takes. */
export interface S3Access {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly forcePathStyle: boolean;
}

/** Buckets on a real S3-compatible server. */
export interface S3Buckets {
  readonly kind: 'versitygw' | 'moto';
  readonly access: S3Access;
  /** A client of the vendor's library, for what the store has no function for. */
  readonly client: S3;
  /** Makes an empty bucket and returns its name. */
  createBucket(): Promise<string>;
  close(): Promise<void>;
}

/** A separate S3-compatible server, for tests that stop or pause it. */
export interface TestS3 extends S3Buckets {
  /** The server goes on listening, but answers nothing until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends the server. versitygw finds its objects again after `start`; moto forgets them. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

const tools = readTools();

/** Why there is no server on this machine; undefined when there is one. */
export const s3Missing: string | undefined =
  tools.versitygw === null && tools.moto === null
    ? `neither versitygw (${tools.missing.versitygw ?? 'not set up'}) nor moto (${tools.missing.python ?? 'not set up'}) is available`
    : undefined;

/** The server that `startS3` starts by default. */
export const s3Kind: TestS3['kind'] = tools.versitygw === null ? 'moto' : 'versitygw';

export async function startS3(kind: TestS3['kind'] = s3Kind): Promise<TestS3> {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'contrails-s3-'));
  const access = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKeyId: 'contrails-test',
    // With characters that a header or URL has to escape, so every test proves the escaping.
    secretAccessKey: `s3/cr+t=${randomBytes(12).toString('hex')}`,
    forcePathStyle: true,
  };
  const buckets = s3BucketsOf(kind, access);
  let server: ChildProcess | undefined;

  const start = async () => {
    const running = spawnServer(kind, port, directory, access);
    server = running.child;
    const isUp = async () => running.child.exitCode !== null || (await answers(access.endpoint));
    await until(`${kind} answers`, isUp, { pauseMs: 50 }).catch(() => running.child.kill('SIGKILL'));
    if (running.child.exitCode !== null || running.child.killed) {
      throw new Error(`${kind} did not start:\n${running.output()}`);
    }
  };
  const stop = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };

  await start();
  return {
    ...buckets,
    pause: () => server?.kill('SIGSTOP'),
    resume: () => server?.kill('SIGCONT'),
    stop,
    start,
    async close() {
      await buckets.close();
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Buckets on the server that `access` leads to. */
export function s3BucketsOf(kind: TestS3['kind'], access: S3Access): S3Buckets {
  const client = new S3({ ...access, credentials: access });
  return {
    kind,
    access,
    client,
    async createBucket() {
      const name = `test-${randomBytes(6).toString('hex')}`;
      await client.createBucket({ Bucket: name });
      return name;
    },
    close: async () => client.destroy(),
  };
}

function spawnServer(
  kind: TestS3['kind'],
  port: number,
  directory: string,
  access: { readonly accessKeyId: string; readonly secretAccessKey: string },
): { child: ChildProcess; output(): string } {
  const program = tools[kind];
  if (program === null) throw new Error(`${kind} is not on this machine`);
  const args = {
    versitygw: ['--port', `127.0.0.1:${port}`, '--quiet', '--keep-alive', 'posix', directory],
    moto: ['--host', '127.0.0.1', '--port', String(port)],
  }[kind];
  const child = spawn(program, args, {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      ROOT_ACCESS_KEY: access.accessKeyId,
      ROOT_SECRET_KEY: access.secretAccessKey,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-10_000);
    });
  }
  return { child, output: () => output };
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    await (await fetch(endpoint)).body?.cancel();
    return true;
  } catch {
    return false;
  }
}
