import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { contrails, type Running, type RunOptions, start } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

/** A server that does not call itself overloaded because the machine is busy with other tests. */
async function launch(data: string, args: readonly string[] = [], { cwd, env }: RunOptions = {}) {
  const running = start(['serve', '--data', data, '--port', '0', ...args], {
    ...(cwd && { cwd }),
    env: { CONTRAILS_SERVER__MAX_EVENT_LOOP_DELAY_MS: '60000', ...env },
  });
  try {
    const [, address = ''] = await running.line(/^contrails is ready at (http:\S+)\n/m);
    return { ...running, address } satisfies Running & { address: string };
  } catch (error) {
    await end(running);
    throw error;
  }
}

async function end(running: Running): Promise<void> {
  running.kill('SIGKILL');
  await running.ended;
}

/** For one test. */
async function serve(...given: Parameters<typeof launch>) {
  const running = await launch(...given);
  onTestFinished(() => end(running));
  return running;
}

const validate = (address: string, key: string) =>
  fetch(`${address}/v0/auth/validate-key`, { headers: { 'x-api-key': key } });

/** All of them arrive in one piece, so the server has begun with each before it notices that nobody reads. */
const MANY = 24;

/**
 * A connection that asks for more than the buffers between client and server hold and does not read, so one
 * answer is always half-way out.
 */
async function stalled(server: Running & { address: string }): Promise<Socket> {
  const { hostname, port, host } = new URL(server.address);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /openapi/swagger-ui-bundle.js HTTP/1.1\r\nhost: ${host}\r\n\r\n`.repeat(MANY));
  const answered = () => server.output.stderr.split('swagger-ui-bundle.js').length - 1;
  let before = -1;
  for (let now = answered(); now === 0 || now !== before; now = answered()) {
    before = now;
    await sleep(300);
  }
  expect(answered()).toBeLessThan(MANY);
  return socket;
}

/** Reads what is left, and checks that every answer of the page is whole. */
async function readWholeAnswers(socket: Socket): Promise<number> {
  let rest = await buffer(socket);
  let whole = 0;
  while (rest.indexOf('HTTP/1.1 200') === 0) {
    const bodyAt = rest.indexOf('\r\n\r\n') + 4;
    const length = Number(/content-length: (\d+)/i.exec(rest.toString('latin1', 0, bodyAt))?.[1]);
    expect(rest.length).toBeGreaterThanOrEqual(bodyAt + length);
    rest = rest.subarray(bodyAt + length);
    whole += 1;
  }
  return whole;
}

/** The schedules in the database of a server that has ended. */
async function schedulesIn(data: string): Promise<unknown[]> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(join(data, 'contrails.sqlite'));
  const names = database.prepare('SELECT name FROM job_schedules').all();
  database.close();
  return names.map(({ name }) => name);
}

describe('serve', () => {
  test('prints its address in one line when it is ready, logs to standard error only, and works on jobs; at SIGTERM it finishes the requests in flight and takes no new ones', async () => {
    const data = temporaryDirectory();
    const server = await serve(data);
    expect((await fetch(`${server.address}/readyz`)).status).toBe(200);
    // Its young objects are limited, in the process that was started.
    if (process.platform === 'linux')
      expect(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8')).toContain('--max-semi-space-size=16\0');
    const socket = await stalled(server);
    server.kill('SIGTERM');
    await server.line(/SIGTERM: finishing/, 'stderr');
    await expect(fetch(`${server.address}/healthz`)).rejects.toThrow();
    expect(await readWholeAnswers(socket)).toBe(MANY);
    const { code, signal, stdout, stderr } = await server.ended;
    expect(stdout).toBe(`contrails is ready at ${server.address}\n`);
    for (const line of stderr.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');
    expect([code, signal]).toEqual([0, null]);
    expect(await schedulesIn(data)).toContain('maintenance');
  });

  test('takes settings from the file, leaves jobs alone with --no-workers, and at SIGTERM cuts off what does not finish in time', async () => {
    const cwd = temporaryDirectory();
    const data = join(cwd, 'data');
    writeFileSync(
      join(cwd, 'contrails.yaml'),
      'server: { cors_origins: ["https://map.example.org"], shutdown_seconds: 1 }\n',
    );
    const server = await serve(data, ['--no-workers'], { cwd });
    const { address } = server;
    const answer = (origin: string) => fetch(`${address}/healthz`, { headers: { origin } });
    expect((await answer('https://map.example.org')).headers.get('access-control-allow-origin')).toBe(
      'https://map.example.org',
    );
    expect((await answer('https://evil.example.org')).headers.get('access-control-allow-origin')).toBeNull();
    await stalled(server);
    server.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
    expect(await schedulesIn(data)).toEqual([]);
  });

  test('a port that is taken ends it with exit code 1 and the remedy', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const args = ['serve', '--data', temporaryDirectory(), '--port', String(port)];
    const ended = await contrails(args);
    expect(ended.stderr).toBe(
      `contrails: port ${port} on 127.0.0.1 is in use by another program; stop that one, or set --port or server.port to another port (0 picks a free one)\n`,
    );
    expect([ended.code, ended.stdout]).toEqual([1, '']);
  });

  test('a host of another machine ends it with exit code 2', async () => {
    const args = ['serve', '--data', temporaryDirectory(), '--host', '192.0.2.1'];
    const { code, stderr } = await contrails(args);
    expect(stderr).toMatch(/^contrails: 192\.0\.2\.1 is not an address of this machine .*\n$/);
    expect(code).toBe(2);
  });

  test('the same signal passed on by a parent counts once, a later one stops at once', async () => {
    const env = { CONTRAILS_SERVER__SHUTDOWN_SECONDS: '300' };
    const server = await serve(temporaryDirectory(), ['--no-workers'], { env });
    await stalled(server);
    server.kill('SIGINT');
    server.kill('SIGINT');
    await server.line(/SIGINT: finishing/, 'stderr');
    await sleep(1_200);
    expect(server.output.stderr).not.toContain('stopping at once');
    server.kill('SIGINT');
    expect(await server.ended).toMatchObject({ code: 1, signal: null });
  });
});

describe('--demo', () => {
  /** The weather does not matter, and is quickly made. */
  const COARSE = {
    env: { CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'demo', kind: 'synthetic', resolution: 10 }]) },
  };

  /** Of all tests of the key, which follow each other. */
  const data = mkdtempSync(join(tmpdir(), 'contrails demo '));
  let key = '';

  test('prints a key with all scopes and a curl line that works; background jobs wait until the first requests are answered', async () => {
    const server = await serve(data, ['--demo'], { env: { CONTRAILS_LOG__LEVEL: 'debug' } });
    const [, curl = ''] = await server.line(/try it: +(curl .*)\n/);
    [, key = ''] = await server.line(/demo key: +(ctr_\S+)\n/);
    const [, page = ''] = await server.line(/API page: +(http:\S+)\n/);
    const answer = await validate(server.address, key);
    expect(await answer.json()).toMatchObject({ name: 'demo', scopes: expect.arrayContaining(['adsb']) });
    expect((await fetch(page)).status).toBe(200);
    if (spawnSync('curl', ['--version']).status === 0) {
      const { stdout } = spawnSync('sh', ['-c', curl], { encoding: 'utf8' });
      expect(JSON.parse(stdout)).toMatchObject({ name: 'demo' });
    }
    await server.line(/"kind":"forecast\.plan".*the job is done/, 'stderr');
    const [beforeJobs] = server.output.stderr.split('the job is done');
    expect(beforeJobs).toMatch(/the first requests took \d+ ms/);
  });

  test('address and key are the last lines while jobs are done, also when the log is JSON', async () => {
    const server = await serve(data, ['--demo'], { env: { ...COARSE.env, CONTRAILS_LOG__FORMAT: 'json' } });
    await server.line(/demo key: +(ctr_\S+)\n/);
    await until('a job is done', async () => {
      const { stdout } = await contrails(['jobs', 'list', '--state', 'done', '--data', data, '--json'], {});
      return (JSON.parse(stdout) as unknown[]).length > 0;
    });
    expect(server.output.stderr).toBe('');
    expect(server.output.stdout).toMatch(/manual: +http:\S+\n$/);
  });

  test('the key survives a restart and only its owner may read it', async () => {
    const server = await serve(data, ['--demo', '--no-workers'], COARSE);
    expect((await server.line(/demo key: +(ctr_\S+)\n/))[1]).toBe(key);
    expect(statSync(join(data, 'demo-key')).mode & 0o777).toBe(0o600);
  });

  test('the key of visitors cannot post reports, and no key of the demo is accepted without --demo', async () => {
    const demo = await serve(data, ['--demo', '--no-workers'], COARSE);
    const [, own = ''] = await demo.line(/demo key: +(ctr_\S+)\n/);
    const { key: visitor } = (await (await fetch(`${demo.address}/visitor-key`)).json()) as { key: string };
    const post = (address: string, given: string) =>
      fetch(`${address}/v1/adsb/ingest?source=roof`, {
        method: 'POST',
        headers: { 'x-api-key': given },
        body: '',
      });
    expect((await post(demo.address, visitor)).status).toBe(403);
    expect((await post(demo.address, own)).status).toBe(400);
    await end(demo);
    const plain = await serve(data, ['--no-workers'], COARSE);
    for (const given of [own, visitor]) expect((await validate(plain.address, given)).status).toBe(401);
    expect(await (await fetch(`${plain.address}/visitor-key`)).json()).toEqual({ key: null });
  });
});

describe('running servers', () => {
  const data = mkdtempSync(join(tmpdir(), 'contrails keys '));
  let servers: Awaited<ReturnType<typeof launch>>[];
  beforeAll(async () => {
    const env = { CONTRAILS_METRICS__SERVE: 'own', CONTRAILS_METRICS__PORT: '0' };
    servers = await Promise.all([launch(data, ['--no-workers']), launch(data, [], { env })]);
  });
  afterAll(() => Promise.all(servers.map(end)));

  test('metrics have their own address and are not on the public port', async () => {
    const server = servers[1];
    if (server === undefined) throw new Error('no server runs');
    const [, address = ''] = await server.line(/metrics are at (http:[^"]+)/, 'stderr');
    const metrics = await (await fetch(address)).text();
    expect(metrics).toMatch(/^contrails_jobs\{state="queued"\} 0$/m);
    expect(metrics).toMatch(/^contrails_compute_threads \d+$/m);
    expect((await fetch(`${server.address}/metrics`)).status).toBe(404);
  });

  test('a key made with --scopes adsb shows it, and revoking stops it on two servers', async () => {
    const key = (
      await contrails(['keys', 'create', '--name', 'radar', '--scopes', 'adsb', '--data', data])
    ).stdout.trim();
    for (const { address } of servers) {
      expect(await (await validate(address, key)).json()).toMatchObject({ name: 'radar', scopes: ['adsb'] });
    }
    const revoked = await contrails(['keys', 'revoke', key.split('_')[1] ?? '', '--data', data]);
    expect(revoked).toMatchObject({ code: 0 });
    for (const { address } of servers) {
      await until(`${address} answers 401`, async () => (await validate(address, key)).status === 401);
    }
  });

  test('rotating gives a new secret and stops the old one, and usage is shown once the server has written it', async () => {
    const [server] = servers;
    if (server === undefined) throw new Error('no server runs');
    const old = (await contrails(['keys', 'create', '--name', 'n', '--data', data])).stdout.trim();
    const id = old.split('_')[1] ?? '';
    expect((await validate(server.address, old)).status).toBe(200);
    const fresh = (await contrails(['keys', 'rotate', id, '--data', data])).stdout.trim();
    await until('the new one works', async () => (await validate(server.address, fresh)).status === 200);
    expect((await validate(server.address, fresh)).status).toBe(200);
    await until(
      'the old secret is refused',
      async () => (await validate(server.address, old)).status === 401,
    );
    server.kill();
    await server.ended;
    const { stdout } = await contrails(['keys', 'usage', id, '--json', '--data', data]);
    expect(JSON.parse(stdout)).toMatchObject([{ endpoint: '/v0/auth/validate-key', requests: 3 }]);
    expect((await contrails(['keys', 'usage', '--data', data])).stdout).toMatch(
      /\/v0\/auth\/validate-key +\d+ /,
    );
  });
});
