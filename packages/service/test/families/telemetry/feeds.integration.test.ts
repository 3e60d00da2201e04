import { rename, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { nextPauseMs } from '@contrails/platform/feeds/feed-loop';
import { leaseSource, whileLeased } from '@contrails/platform/feeds/leases';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { until } from '../../../../../test/support/until.ts';
import { checkTelemetry } from '../../../src/families/telemetry/doctor.ts';
import { startFeeds } from '../../../src/families/telemetry/feeds/feeds.ts';
import { readFolder } from '../../../src/families/telemetry/feeds/folder.ts';
import { pollOnce } from '../../../src/families/telemetry/feeds/poll.ts';
import { telemetryMetrics } from '../../../src/families/telemetry/metrics.ts';
import type { FeedConfig } from '../../../src/telemetry-store/config.ts';
import { listGaps, listSources, syncSources } from '../../../src/telemetry-store/sources.ts';
import { defaultRules, openInstallation } from './support/installation.ts';

const log = pino({ level: 'silent' });

function feedOf(more: Partial<FeedConfig>): FeedConfig {
  return {
    name: 'roof',
    kind: 'poll',
    format: undefined,
    path: '',
    url: '',
    legsPerDay: 0,
    backfillMs: 0,
    intervalMs: 50,
    latenessMs: 900_000,
    stalledAfterMs: 60_000,
    isStrict: false,
    isEnabled: true,
    ...more,
  };
}

/** A receiver as readsb serves it. */
function startReceiver() {
  let isBroken = false;
  let polls = 0;
  const server = createServer((_request, response) => {
    polls += 1;
    if (isBroken) {
      response.writeHead(502).end('bad gateway');
      return;
    }
    const now = Date.now() / 1000;
    const aircraft = [
      {
        hex: '4b1800',
        lat: 47,
        lon: 8,
        alt_baro: 35_000,
        seen_pos: 0.3,
        type: 'adsb_icao',
        flight: 'SWR1   ',
      },
      { hex: '4b1801', lat: 47, lon: 8, alt_baro: 'ground', seen_pos: 0.3, type: 'adsb_icao' },
      { hex: '~2b1801', lat: 47, lon: 8, alt_baro: 3000, seen_pos: 0.3, type: 'tisb_other' },
    ];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ now, aircraft }));
  });
  return new Promise<{ url: string; polls(): number; break(broken: boolean): void; close(): void }>(
    (resolve) => {
      server.listen(0, '127.0.0.1', () =>
        resolve({
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/data/aircraft.json`,
          polls: () => polls,
          break(broken) {
            isBroken = broken;
          },
          close: () => server.close(),
        }),
      );
    },
  );
}

test('a receiver is polled; when it fails, doctor and metrics show it, and a gap stays', async () => {
  const installation = await openInstallation();
  afterAll(() => installation.close());
  const { database } = installation;
  const receiver = await startReceiver();
  const feed = feedOf({ url: receiver.url });
  const rules = defaultRules({ feeds: [feed] });
  const feeds = await startFeeds(installation, rules, log);
  const applied = async () =>
    (await database.query<{ count: number }>('SELECT COUNT(*) AS count FROM telemetry_batches'))[0]?.count ??
    0;
  await until('two polls are applied', async () => (await applied()) >= 2);
  const [batch] = await database.query<{ accepted: number; refused: string }>(
    'SELECT accepted, refused FROM telemetry_batches',
  );
  expect(batch).toMatchObject({ accepted: 1, refused: '{"on_ground":1,"non_icao_address":1}' });
  expect((await checkTelemetry(database, Date.now())).map(({ state }) => state)).toEqual(['ok']);

  receiver.break(true);
  const failing = async () => (await listSources(database, Date.now()))[0]?.error ?? null;
  await until('the failure is noted', async () => (await failing()) !== null);
  const [finding] = await checkTelemetry(database, Date.now());
  expect(finding).toMatchObject({ check: 'telemetry roof', state: 'warn' });
  expect(finding?.message).toContain('status 502');
  const stalled = telemetryMetrics(database).find(({ name }) => name.endsWith('_stalled'));
  expect(await stalled?.read()).toEqual({ roof: 0 });
  expect((await listSources(database, Date.now() + 61_000))[0]?.isStalled).toBe(true);

  const polls = receiver.polls();
  await until('it is asked again', async () => receiver.polls() > polls);
  receiver.break(false);
  await until('it works again', async () => (await failing()) === null);
  const [gap] = await listGaps(database, 0, Date.now());
  expect(gap).toMatchObject({ source: 'roof', reason: expect.stringContaining('status 502') });
  await feeds.stop();
  receiver.close();
});

test('a source that fails is left alone for longer and longer, never in step with others', () => {
  const pauses = [0, 1, 2, 3, 20].map((failures) => nextPauseMs({ intervalMs: 1000 }, failures));
  for (const [index, expected] of [1000, 2000, 4000, 8000, 300_000].entries()) {
    expect(Math.abs((pauses[index] ?? 0) / expected - 1)).toBeLessThanOrEqual(0.1);
  }
  expect(new Set(Array.from({ length: 5 }, () => nextPauseMs({ intervalMs: 1000 }, 0))).size).toBeGreaterThan(
    1,
  );
});

test('a watched folder imports finished files once, and files with new content again', async () => {
  const installation = await openInstallation();
  afterAll(() => installation.close());
  const { database } = installation;
  const path = await temporaryDirectory();
  const feed = feedOf({ kind: 'folder', path });
  const rules = defaultRules({ feeds: [feed] });
  await syncSources(database, [feed], Date.now());
  const line = (second: number) =>
    `${JSON.stringify({ timestamp: `2026-01-01T06:00:0${second}Z`, latitude: 1, longitude: 2, altitude_baro: 3, icao_address: '4B1800' })}\n`;
  const turn = () => readFolder(installation, rules, feed, new AbortController().signal);
  const files = () =>
    database.query<{ path: string; batch: string | null; error: string | null }>(
      'SELECT path, batch, error FROM telemetry_files ORDER BY path',
    );
  const age = async (name: string) => {
    // The change time cannot be set, so finished means older than the pause in it.
    await utimes(join(path, name), new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
  };
  await writeFile(join(path, 'a.ndjson.part'), line(1));
  await writeFile(join(path, 'b.ndjson'), line(2));
  await turn();
  expect(await files()).toEqual([]);

  await rename(join(path, 'a.ndjson.part'), join(path, 'a.ndjson'));
  await writeFile(join(path, 'c.json'), 'this is no telemetry');
  for (const name of ['a.ndjson', 'b.ndjson', 'c.json']) await age(name);
  await until('the files have settled', async () => {
    await turn();
    return (await files()).length === 3;
  });
  expect(await files()).toMatchObject([
    { batch: expect.any(String), error: null },
    { batch: expect.any(String), error: null },
    { batch: null, error: expect.stringContaining('format') },
  ]);
  const count = async () =>
    (await database.query<{ count: number }>('SELECT COUNT(*) AS count FROM telemetry_batches'))[0]?.count;
  expect(await count()).toBe(2);
  await turn();
  expect(await count()).toBe(2);
  await writeFile(join(path, 'a.ndjson'), line(1) + line(3));
  await until('the new content is read', async () => {
    await turn();
    return (await count()) === 3;
  });
});

test('the lease of a source is renewed while a turn takes longer, and its loss ends the turn', async () => {
  const installation = await openInstallation();
  afterAll(() => installation.close());
  const { database } = installation;
  await syncSources(database, [feedOf({})], Date.now());
  const mine = { table: 'telemetry_sources', source: 'roof', owner: 'one', leaseMs: 600 } as const;
  const untilMs = async () =>
    (await database.query<{ until: number }>('SELECT lease_until_ms AS until FROM telemetry_sources'))[0]
      ?.until ?? 0;
  const startedMs = Date.now();
  await leaseSource(database, mine, 'one', startedMs, startedMs + mine.leaseMs);
  const turn = whileLeased(database, mine, new AbortController().signal, async (held) => {
    await until('it is held for longer than one lease', async () => {
      held.throwIfAborted();
      return (await untilMs()) > startedMs + 3 * mine.leaseMs;
    });
    // The process stood still for so long that another one took over.
    await leaseSource(database, mine, 'other', Date.now() + 3_600_000, Date.now() + 7_200_000);
    await until('the loss is noticed', async () => {
      held.throwIfAborted();
      return false;
    });
  });
  await expect(turn).rejects.toThrow('another process took over the source roof');
  const heldUntilMs = await untilMs();
  await whileLeased(
    database,
    { ...mine, owner: 'other' },
    new AbortController().signal,
    async () => undefined,
  );
  expect(await untilMs()).toBe(heldUntilMs);
});

const LINES = Array.from({ length: 50 }, (_, second) =>
  JSON.stringify({
    timestamp: Date.UTC(2026, 0, 1, 6) / 1000 + second,
    latitude: 47,
    longitude: 8,
    altitude_baro: 35_000,
    icao_address: '4B1800',
  }),
).join('\n');

test('a file that breaks off is marked and named by doctor; a strict source stores nothing of it', async () => {
  const installation = await openInstallation();
  afterAll(() => installation.close());
  const { database } = installation;
  const folder = await temporaryDirectory();
  await writeFile(join(folder, 'cut.ndjson.gz'), gzipSync(LINES).subarray(0, -4));
  const feeds = [false, true].map((isStrict) =>
    feedOf({ name: isStrict ? 'strict' : 'usual', kind: 'folder', path: folder, isStrict }),
  );
  const rules = defaultRules({ feeds });
  await until('the file is finished and read', async () => {
    for (const feed of feeds) await readFolder(installation, rules, feed, new AbortController().signal);
    return (await checkTelemetry(database, Date.now())).length === 2;
  });
  expect(await database.query('SELECT source, accepted, truncated FROM telemetry_batches')).toEqual([
    { source: 'usual', accepted: 49, truncated: expect.stringContaining('unexpected end of file') },
  ]);
  for (const { state, message } of await checkTelemetry(database, Date.now())) {
    expect(state).toBe('warn');
    expect(message).toContain('cut.ndjson.gz breaks off: the compressed data is damaged');
  }
});

test.each([false, true])(
  'an answer that breaks off is a failure of the source; strict: %s',
  async (isStrict) => {
    const installation = await openInstallation();
    afterAll(() => installation.close());
    const server = createServer((_request, response) => response.end(gzipSync(LINES).subarray(0, -4)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const feed = feedOf({ url: `http://127.0.0.1:${port}/`, isStrict });
    const turn = pollOnce(installation, defaultRules({ feeds: [feed] }), feed, new AbortController().signal);
    await expect(turn).rejects.toThrow(/breaks off: the compressed data is damaged/);
    server.close();
    expect(await installation.database.query('SELECT accepted FROM telemetry_batches')).toEqual(
      isStrict ? [] : [{ accepted: 49 }],
    );
  },
);
