import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresDatabases } from '../../../test/support/postgres.ts';
import { usePostgres } from '../../../test/support/shared-server.ts';
import { until } from '../../../test/support/until.ts';
import { contrails, type Running, start } from './support/contrails.ts';

const SETTINGS = {
  CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'demo', kind: 'synthetic', resolution: 10 }]),
  CONTRAILS_TELEMETRY__SOURCES: JSON.stringify([
    { name: 'synthetic', kind: 'synthetic', legs_per_day: 100, backfill: '30min' },
  ]),
  CONTRAILS_FORECAST__SCHEDULE: 'off',
  CONTRAILS_INVENTORY__SCHEDULE: 'off',
  CONTRAILS_LIVE__ENABLED: 'true',
  CONTRAILS_LIVE__INTERVAL: '5s',
  CONTRAILS_SERVER__MAX_EVENT_LOOP_DELAY_MS: '60000',
};
const OFTEN = { pauseMs: 300 };
/** What a lost lease holder may cost. */
const TAKEOVER_S = 100;

interface Flights {
  readonly features: readonly {
    readonly id: string;
    readonly properties: { readonly icao_address: string };
  }[];
}

describe.each(['SQLite', 'PostgreSQL'])('two servers on %s', (kind) => {
  /** What does not depend on the database is looked at once. */
  const ofOne = (name: string, body: () => Promise<void>, timeoutMs: number) => {
    if (kind === 'SQLite') test(name, body, timeoutMs);
  };
  const directory = mkdtempSync(join(tmpdir(), 'contrails live '));
  let env: Record<string, string>;
  let postgres: PostgresDatabases | undefined;
  let key: string;
  const servers: Running[] = [];
  const addresses: string[] = [];

  async function serve(): Promise<void> {
    const server = start(['serve', '--port', '0'], { cwd: directory, env });
    servers.push(server);
    const [, address = ''] = await server.line(/ready at (http:\S+)/);
    addresses.push(address);
  }

  const get = (server: number, path: string, headers: Record<string, string> = {}) =>
    fetch(`${addresses[server]}${path}`, { headers: { 'x-api-key': key, ...headers } });

  /** Of a sky with aircraft. */
  async function cycleOf(server: number): Promise<number | undefined> {
    const answer = await get(server, '/v1/live/summary');
    const body = (await answer.json()) as { cycle: number; aircraft: number };
    return answer.ok && body.aircraft > 0 ? body.cycle : undefined;
  }

  /** Ids of flights by aircraft. */
  async function idsOf(server: number): Promise<Map<string, string>> {
    const { features } = (await (await get(server, '/v1/live/flights')).json()) as Flights;
    return new Map(features.map(({ id, properties }) => [properties.icao_address, id]));
  }

  beforeAll(async () => {
    postgres = kind === 'SQLite' ? undefined : await usePostgres();
    const database = postgres && (await postgres.createDatabase());
    env = {
      ...SETTINGS,
      CONTRAILS_DATA: join(directory, 'data'),
      ...(database === undefined ? {} : { CONTRAILS_DATABASE: database }),
    };
    const made = await contrails(
      ['keys', 'create', '--name', 'live', '--scopes', 'live', '--rate', '100000', '--json'],
      {
        cwd: directory,
        env,
      },
    );
    ({ key } = JSON.parse(made.stdout) as { key: string });
    await serve();
    await until('the first aircraft', () => cycleOf(0), OFTEN);
    await serve();
    await until('the sky of the second server', () => cycleOf(1), OFTEN);
  }, 120_000);

  afterAll(async () => {
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(servers.map(({ ended }) => ended));
    await postgres?.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  });

  ofOne(
    'contrails live prints a table once, and a line of JSON for each update until it is interrupted',
    async () => {
      const once = await contrails(['live', '--once', '--limit', '3'], { cwd: directory, env });
      expect(once).toMatchObject({ code: 0, stderr: '' });
      expect(once.stdout).toMatch(/aircraft in the air, \d+ leave contrails that last/);
      expect(once.stdout).toMatch(/CALLSIGN +TYPE +STATE +ALTITUDE/);
      expect(once.stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(6);
      const json = await contrails(['live', '--once', '--json'], { cwd: directory, env });
      const update = JSON.parse(json.stdout) as { cycle: number; summary: unknown; flights: unknown[] };
      expect(update.flights.length).toBeGreaterThan(0);
      expect(update.summary).toMatchObject({ aircraft: update.flights.length });
      const following = start(['live', '--json'], { cwd: directory, env });
      const [, first, second] = await following.line(/^\{"cycle":(\d+),.*\n(?:.*\n)*?\{"cycle":(\d+),/m);
      expect(Number(second)).toBeGreaterThanOrEqual(Number(first));
      following.kill('SIGINT');
      expect(await following.ended).toMatchObject({ code: 0 });
    },
    60_000,
  );

  test('when the computing server is killed the other takes over, flights keep their ids and clients resume', async () => {
    const events = await firstEvents(0);
    const before = await idsOf(0);
    expect(before.size).toBeGreaterThan(0);
    const cycle = (await cycleOf(1)) ?? 0;
    servers[0]?.kill('SIGKILL');
    await servers[0]?.ended;
    const resumed = await firstEvents(1, { 'last-event-id': events.lastId });
    expect(resumed.text).not.toContain('event: snapshot');
    await until('a cycle of the other server', async () => ((await cycleOf(1)) ?? 0) > cycle + 1, {
      ...OFTEN,
      seconds: TAKEOVER_S,
    });
    const after = await idsOf(1);
    const both = [...before].filter(([address]) => after.has(address));
    expect(both.length).toBeGreaterThan(0);
    for (const [address, id] of both) expect(after.get(address)).toBe(id);
  }, 180_000);

  ofOne(
    'a server that starts again has the sky at once, with the same flights',
    async () => {
      const before = await idsOf(1);
      await serve();
      await until('its sky', () => cycleOf(2), OFTEN);
      const after = await idsOf(2);
      const both = [...before].filter(([address]) => after.has(address));
      expect(both.length).toBeGreaterThan(0);
      for (const [address, id] of both) expect(after.get(address)).toBe(id);
    },
    60_000,
  );

  async function firstEvents(server: number, headers: Record<string, string> = {}) {
    const stop = new AbortController();
    const response = await fetch(`${addresses[server]}/v1/live/stream`, {
      headers: { 'x-api-key': key, ...headers },
      signal: stop.signal,
    });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (/^event: (?:.*\n)*?\n/m.test(text)) break;
    }
    stop.abort();
    return { text, lastId: /^id: (\S+)$/m.exec(text)?.[1] ?? '' };
  }
});
