import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { hourOf } from '@contrails/runtime';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { checkTelemetry } from '../../../src/families/telemetry/doctor.ts';
import { readFolder } from '../../../src/families/telemetry/feeds/folder.ts';
import { pollOnce } from '../../../src/families/telemetry/feeds/poll.ts';
import { publishHour } from '../../../src/families/telemetry/hours/publish.ts';
import { listQuarantine, retryQuarantine } from '../../../src/families/telemetry/ingest/quarantine.ts';
import type { FeedConfig } from '../../../src/telemetry-store/config.ts';
import type { TelemetryServices } from '../../../src/telemetry-store/services.ts';
import { listSources, syncSources } from '../../../src/telemetry-store/sources.ts';
import { defaultRules, type Installation, openInstallation, readHour } from './support/installation.ts';

const RULES = defaultRules();
const FEED: FeedConfig = {
  name: 'feed',
  kind: 'poll',
  format: undefined,
  path: '',
  url: '',
  legsPerDay: 0,
  backfillMs: 0,
  intervalMs: 1_000,
  latenessMs: 900_000,
  stalledAfterMs: 900_000,
  isStrict: false,
  isEnabled: true,
};

let installation: Installation;
beforeEach(async () => {
  installation = await openInstallation();
});
afterEach(() => installation.close());

describe('an address that is polled', () => {
  async function poll(answer: RequestListener): Promise<void> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => server.once('listening', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/data/aircraft.json`;
      await syncSources(installation.database, [{ ...FEED, url }], Date.now());
      await pollOnce(installation, RULES, { ...FEED, url }, AbortSignal.timeout(10_000));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  test('fails when it returns a page for people', async () => {
    const page = poll((_, response) => response.end('<html><body>Sign in</body></html>'));
    await expect(page).rejects.toThrow(/returns nothing that can be read: the text is not JSON/);
    expect(await listQuarantine(installation.database)).toEqual([]);
    expect(await listSources(installation.database, Date.now())).toMatchObject([{ lastBatchMs: null }]);
  });

  test('fails with its name when the answer breaks off', async () => {
    const broken = poll((_, response) => {
      response.write('{"now":');
      setTimeout(() => response.destroy(), 50);
    });
    await expect(broken).rejects.toThrow(/aircraft.json does not answer; check/);
  });

  test('stalls when it has no reports, though it answers', async () => {
    await poll((_, response) => response.end(JSON.stringify({ now: Date.now() / 1000, aircraft: [] })));
    const laterMs = Date.now() + FEED.stalledAfterMs + 1_000;
    expect(await listSources(installation.database, laterMs)).toMatchObject([{ isStalled: true }]);
  });

  test('loses nothing when its clock is an hour ahead: reports are kept, and come in once it is that time', async () => {
    const aheadMs = Date.now() + 3_600_000;
    const aircraft = ['4b1800', '4b1801'].map((hex) => ({
      hex,
      lat: 47,
      lon: 8,
      alt_baro: 35_000,
      seen_pos: 0,
    }));
    await poll((_, response) => response.end(JSON.stringify({ now: aheadMs / 1000, aircraft })));
    const { database } = installation;
    const [kept] = await listQuarantine(database);
    expect(kept).toMatchObject({ source: 'feed', records: 2, codes: { time_in_future: 2 } });
    const laterMs = Date.now() + FEED.stalledAfterMs + 1_000;
    expect(await listSources(database, laterMs)).toMatchObject([{ isStalled: true }]);
    expect(await database.query('SELECT hour_ms FROM telemetry_hours')).toEqual([]);
    const receipt = await retryQuarantine(installation, RULES, kept?.batch ?? '', aheadMs);
    expect(receipt).toMatchObject({ records: 2, accepted: 2, refused: {} });
    expect(await listQuarantine(database)).toEqual([]);
    const hourMs = hourOf(aheadMs);
    await publishHour(installation, RULES, hourMs, aheadMs + 7_200_000);
    expect(await readHour(installation, hourMs)).toHaveLength(2);
  });
});

describe('a folder', () => {
  // Files count as finished when they have not been written to for a while.
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 }));
  afterEach(() => vi.useRealTimers());

  const snapshot = (hex: string) =>
    JSON.stringify({
      now: Date.now() / 1000 - 60,
      aircraft: [{ hex, lat: 47, lon: 8, alt_baro: 35_000, seen_pos: 0 }],
    });

  async function read(path: string, services: TelemetryServices = installation): Promise<void> {
    const feed: FeedConfig = { ...FEED, kind: 'folder', path };
    await syncSources(installation.database, [feed], Date.now());
    await readFolder(services, RULES, feed, AbortSignal.timeout(10_000));
  }

  const batches = () =>
    installation.database.query('SELECT name, accepted FROM telemetry_batches ORDER BY name');

  test('is read through links, and one file that fails does not keep the others waiting', async () => {
    const [folder, elsewhere] = [await temporaryDirectory(), await temporaryDirectory()];
    await mkdir(join(folder, 'directory.json'));
    await writeFile(join(folder, 'a.json'), snapshot('4b1800'));
    await writeFile(join(folder, 'b.json'), snapshot('4b1801'));
    await writeFile(join(elsewhere, 'c.json'), snapshot('4b1802'));
    await symlink(join(elsewhere, 'c.json'), join(folder, 'c.json'));
    await symlink(folder, join(folder, 'loop.json'));
    await symlink(join(folder, 'nowhere'), join(folder, 'dangling.json'));
    const { store } = installation;
    let isFirst = true;
    const put: typeof store.put = (...given) => {
      if (!isFirst) return store.put(...given);
      isFirst = false;
      return Promise.reject(new Error('EACCES: permission denied'));
    };
    const services = { ...installation, store: { ...store, put } };
    await expect(read(folder, services)).rejects.toThrow('EACCES');
    const names = (files: readonly string[]) =>
      files.map((name) => ({ name: join(folder, name), accepted: 1 }));
    expect(await batches()).toEqual(names(['b.json', 'c.json']));
    await read(folder, services);
    expect(await batches()).toEqual(names(['a.json', 'b.json', 'c.json']));
  });

  test('shows files that hold no telemetry until they are gone', async () => {
    const folder = await temporaryDirectory();
    const file = join(folder, 'notes.txt');
    await writeFile(file, 'hello');
    await read(folder);
    const shown = async () =>
      (await checkTelemetry(installation.database, Date.now())).filter(({ state }) => state === 'warn');
    expect(await shown()).toMatchObject([
      { check: 'telemetry feed', message: expect.stringContaining('notes.txt has no format that is known') },
    ]);
    await rm(file);
    await read(folder);
    expect(await shown()).toEqual([]);
  });
});
