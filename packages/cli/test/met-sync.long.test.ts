import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MINUTE_MS } from '@contrails/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { writeEnsemble } from '../../met/test/support/ensemble.ts';
import { type Mirror, startMirror } from '../../met/test/support/mirror.ts';
import { lookRegularly } from '../src/commands/met-sync.ts';
import { contrails, PROGRAM, start } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

let mirror: Mirror;
let cwd: string;
beforeAll(async () => {
  mirror = await startMirror();
});
afterAll(() => mirror.close());
beforeEach(async () => {
  cwd = temporaryDirectory();
  await mirror.reset();
});

const AS_OF = ['--as-of', '2026-09-14T13:00Z'];
const rootOf = (source: string) => `${mirror.url}/${source}`;
const sync = (...args: string[]) => contrails(['met', 'sync', ...args], { cwd });
const ecmwf = (...args: string[]) => sync('ecmwf', '--root', rootOf('ecmwf'), ...AS_OF, ...args);

test('one command makes a source that met list knows', async () => {
  const { stdout, stderr, code } = await ecmwf('--hours', '24');
  expect(stderr).toMatch(
    /^ecmwf: run 2026-09-14 00 UTC, 9 steps to 24 h, \d+ KiB from 127\.0\.0\.1:\d+; \d+ GiB free$/m,
  );
  expect(stdout).toMatch(
    /^done in \d+ s: \d+ KiB; source "ecmwf" covers 14 Sep 00:00 to 15 Sep 00:00 UTC; radiation: estimated; next run about 13:00 UTC$/m,
  );
  expect(stdout).toContain('Contains modified data of ECMWF open data (CC-BY-4.0).');
  expect(code).toBe(0);
  const listed = await contrails(['met', 'list', '--json'], { cwd });
  expect(JSON.parse(listed.stdout)).toMatchObject([
    {
      name: 'ecmwf',
      provider: 'ECMWF',
      dataset: 'IFS',
      runs: [{ reference_time: '2026-09-14T00:00:00.000Z' }],
    },
  ]);
});

test('doctor does not fail for what an archive lacks, and names another source', async () => {
  const roots = ['--root', `ukmo=${rootOf('ukmo')}`, '--root', `gfs=${rootOf('gfs')}`];
  await sync('ukmo', 'gfs', ...roots, ...AS_OF, '--hours', '3');
  const { stdout } = await contrails(['doctor', '--json'], { cwd });
  const all = JSON.parse(stdout) as { check: string; state: string; message: string; remedy?: string }[];
  const findings = all.filter(({ check }) => check.startsWith('weather'));
  expect(findings.filter(({ state }) => state === 'fail')).toEqual([]);
  expect(findings).toContainEqual({
    check: 'weather ukmo',
    state: 'warn',
    message: 'there is no top_net_solar_radiation in the archive: cocip does not run with this source',
    remedy: 'for cocip, fetch another source too, such as "contrails met sync ecmwf"',
  });
  expect(findings.filter(({ message }) => /missing at/.test(message))).toEqual([]);
});

test('--json prints a line for each source', async () => {
  const roots = ['--root', `ecmwf=${rootOf('ecmwf')}`, '--root', `gfs=${rootOf('gfs')}`];
  const { stdout, code } = await sync(
    'ecmwf',
    'gfs',
    '--radiation-from',
    'gfs',
    ...roots,
    ...AS_OF,
    '--hours',
    '6',
    '--run',
    '2026-09-14T00',
    '--json',
  );
  expect(code).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { source: 'gfs', state: 'synced', run: '2026-09-14T00:00:00Z', radiation: 'means', radiation_from: null },
    { source: 'ecmwf', state: 'synced', steps: [0, 3, 6], radiation_from: 'gfs', deleted_runs: [] },
  ]);
  const sources = JSON.parse(readFileSync(join(cwd, 'data/met/sync/sources.json'), 'utf8'));
  expect(sources).toMatchObject([{ name: 'ecmwf', radiation_from: 'gfs' }, { name: 'gfs' }]);
});

test('members of the ensemble come beside the control, and a flight is computed in each of them', async () => {
  const ensemble = await startMirror({ copy: true });
  onTestFinished(() => ensemble.close());
  const runMs = Date.parse('2026-09-14T00:00Z');
  for (const step of [0, 3, 6, 9, 12]) writeEnsemble(ensemble.tree, runMs, step, [1, 2, 3]);
  const members = (count: string) =>
    sync(
      ...['ecmwf', '--root', `${ensemble.url}/ecmwf`, ...AS_OF, '--run', '2026-09-14T00', '--hours', '12'],
      ...['--members', count, '--json'],
    );
  const all = await members('all');
  expect(all).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/step \d+ h of ecmwf has 3 of 50 members; use --members 3/),
  });
  const synced = await members('2');
  expect(synced.code, synced.stderr).toBe(0);
  expect(JSON.parse(synced.stdout)).toMatchObject({ state: 'synced', files: 10, steps: [0, 3, 6, 9, 12] });
  const flight = {
    time: ['2026-09-14T03:00Z', '2026-09-14T03:20Z'],
    longitude: [0, 3],
    latitude: [46, 46],
    altitude: [35000, 35000],
    aircraft_type: 'A320',
  };
  writeFileSync(join(cwd, 'flight.json'), JSON.stringify(flight));
  const args = ['trajectory', 'cocip', 'flight.json', '--met-members', 'all', '--resample', '60'];
  const { code, stdout, stderr } = await contrails(args, { cwd });
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ uncertainty: { samples: 3, met_members: [0, 1, 2] } });
});

test('sources of the configuration win over synced ones of their name', async () => {
  await ecmwf('--hours', '3');
  writeFileSync(
    join(cwd, 'contrails.yaml'),
    'met:\n  sources:\n    - { name: ecmwf, kind: synthetic, resolution: 10 }\n',
  );
  const listed = await contrails(['met', 'list', '--json'], { cwd });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'ecmwf', kind: 'synthetic' }]);
});

test('a dry run says what would be fetched, and writes nothing', async () => {
  const { stdout, stderr, code } = await ecmwf('--hours', '6', '--dry-run', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ state: 'planned', files: 3, steps: [0, 3, 6] });
  expect(stderr).toMatch(/3 steps to 6 h, 99 messages, \d+ KiB from .*; \d+ GiB free/);
  expect(code).toBe(0);
  expect((await contrails(['met', 'list'], { cwd })).stdout).toBe('');
});

test.each([
  [
    ['ecwmf'],
    2,
    /there is no source "ecwmf"; did you mean ecmwf\? Sources: ecmwf, gfs, ukmo, icon-eu, era5, era5-cds/,
  ],
  [['ecmwf', '--bbox=1,2,3,4'], 2, /messages of ecmwf are global/],
  [['gfs', '--members', '3'], 2, /gfs has no members/],
  [['era5'], 2, /give --from DAY and --to DAY/],
  [['ecmwf', '--from', '2024-06-01'], 2, /is a forecast/],
  [['ecmwf', '--levels', 'low'], 2, /--levels is low; give numbers/],
  [['ecmwf', '--radiation-from', 'gfs'], 2, /contrails met sync ecmwf gfs --radiation-from gfs/],
  [['ecmwf', '--run', '2023-01-01T00'], 2, /before 2024-02-28 open data had other resolutions/],
  [
    ['ecmwf', '--root', 'http://127.0.0.1:9'],
    1,
    /http:\/\/127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\); check the network or HTTPS_PROXY, or use --root/,
  ],
])('%j fails with %i and says why', async (args, expected, message) => {
  const { code, stderr } = await sync(...args);
  expect(stderr).toMatch(message);
  expect(code).toBe(expected);
});

test('a run that is not complete is named with what there is of it', async () => {
  const { code, stdout, stderr } = await ecmwf('--run', '2026-09-14T06', '--hours', '24', '--json');
  expect(stderr).toContain(
    'run 2026-09-14 06 UTC of ecmwf is not complete: 5 of 9 steps; try again in about 40 min, or --hours 12',
  );
  expect(JSON.parse(stdout)).toMatchObject({
    source: 'ecmwf',
    state: 'failed',
    remedy: expect.stringContaining('--hours 12'),
  });
  expect(code).toBe(1);
});

describe('--watch', () => {
  const watching = () => {
    const child = spawn(
      process.execPath,
      [PROGRAM, 'met', 'sync', 'ecmwf', '--watch', '--root', rootOf('ecmwf'), ...AS_OF, '--hours', '3'],
      { cwd, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };

  test.each(['SIGINT', 'SIGTERM'] as const)('stays, and ends with 0 on %s', async (signal) => {
    const child = watching();
    await once(child.stdout, 'data');
    child.kill(signal);
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  test('ends with 0 within 10 s in the middle of a request that gets no answer', async () => {
    await mirror.faults({ match: '3h.*grib2$', fault: 'stall', method: 'GET' });
    const child = watching();
    const isStalled = async () => (await mirror.log()).some(({ path }) => /3h.*grib2$/.test(path));
    await until('the request is stalled', isStalled);
    const startedMs = performance.now();
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  const waitsOf = async (everyMinutes: number, outcomes: readonly boolean[]) => {
    const stop = new AbortController();
    const waits: number[] = [];
    const left = [...outcomes];
    const look = async () => {
      const isDone = left.shift() ?? true;
      if (left.length === 0) stop.abort();
      return isDone;
    };
    await lookRegularly(look, everyMinutes * MINUTE_MS, stop.signal, async (ms) =>
      waits.push(ms / MINUTE_MS),
    );
    return waits;
  };

  test('looks every five minutes, and after two while a run is being written or after a failure', async () => {
    expect(await waitsOf(5, [true, false, false, true])).toEqual([5, 2, 2, 5]);
  });

  test('does not look less often than asked for while a run is being written', async () => {
    expect(await waitsOf(1, [true, false])).toEqual([1, 1]);
  });

  test('passes on an error that is not of the weather', async () => {
    const failing = async () => {
      throw new TypeError('a bug');
    };
    await expect(lookRegularly(failing, MINUTE_MS, new AbortController().signal)).rejects.toThrow('a bug');
  });
});

describe('a mirror behind TLS', () => {
  const certificates = mkdtempSync(join(tmpdir(), 'certificates '));
  let secure: ReturnType<typeof createSecureServer>;
  let proxy: ReturnType<typeof createServer>;
  const tunnels: string[] = [];
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

  beforeAll(async () => {
    const [key, cert] = [join(certificates, 'key.pem'), join(certificates, 'cert.pem')];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
        .concat(['-keyout', key, '-out', cert, '-subj', '/CN=mirror'])
        .concat(['-addext', 'subjectAltName=IP:127.0.0.1']),
      { stdio: 'ignore' },
    );
    secure = createSecureServer(
      { key: readFileSync(key), cert: readFileSync(cert) },
      (incoming, outgoing) => {
        const { host: _, ...headers } = incoming.headers;
        const path = `${mirror.url}${incoming.url}`;
        const passed = request(path, { method: incoming.method ?? 'GET', headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        });
        passed.end();
      },
    );
    proxy = createServer().on('connect', ({ url = '' }, client) => {
      tunnels.push(url);
      const [host, port] = url.split(':');
      const target = connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        client.pipe(target).pipe(client);
      });
      target.on('error', () => client.destroy());
      client.on('error', () => target.destroy());
    });
    for (const server of [secure, proxy]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
  });
  beforeEach(() => void tunnels.splice(0));
  afterAll(() => {
    for (const server of [secure, proxy]) {
      server.close();
      server.closeAllConnections();
    }
  });

  const over = (env: Record<string, string>) =>
    start(
      [
        'met',
        'sync',
        'ecmwf',
        '--root',
        `https://127.0.0.1:${portOf(secure)}/ecmwf`,
        ...AS_OF,
        '--hours',
        '0',
      ],
      { cwd, env: { HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}`, NO_PROXY: '', ...env } },
    ).ended;
  const trusting = { NODE_EXTRA_CA_CERTS: join(certificates, 'cert.pem') };

  test('is reached through the proxy of the environment', async () => {
    expect(await over(trusting)).toMatchObject({ code: 0 });
    expect(new Set(tunnels)).toEqual(new Set([`127.0.0.1:${portOf(secure)}`]));
  });

  test('is reached directly where NO_PROXY names it', async () => {
    expect(await over({ ...trusting, NO_PROXY: '127.0.0.1' })).toMatchObject({ code: 0 });
    expect(tunnels).toEqual([]);
  });

  test('whose certificate is not trusted is refused, with the reason', async () => {
    const { code, stderr } = await over({});
    expect(stderr).toMatch(/cannot be reached \((DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED.*)\)/);
    expect(code).toBe(1);
  });
});

test('--max-rate limits the bytes of a second', async () => {
  const { stdout, code } = await ecmwf('--hours', '6', '--max-rate', '0.1', '--json');
  expect(code).toBe(0);
  const { bytes_fetched, seconds } = JSON.parse(stdout);
  expect(bytes_fetched / seconds).toBeLessThan(1.2 * 0.1 * 2 ** 20);
});

test('a proxy of the environment is used', async () => {
  const asked: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? '');
    const target = new URL(incoming.url ?? '');
    const { host: _host, 'proxy-connection': _connection, ...headers } = incoming.headers;
    const passed = request(
      {
        host: target.hostname,
        port: target.port,
        path: target.pathname,
        method: incoming.method ?? 'GET',
        headers,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.end();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  const running = start(['met', 'sync', 'ecmwf', '--root', rootOf('ecmwf'), ...AS_OF, '--hours', '0'], {
    cwd,
    env: { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, NO_PROXY: '' },
  });
  expect((await running.ended).code).toBe(0);
  expect(asked.some((url) => url.startsWith(rootOf('ecmwf')))).toBe(true);
});
