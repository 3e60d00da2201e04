import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '@contrails/platform/config/secret';
import { createLog } from '@contrails/platform/log';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { until } from '../../../../../test/support/until.ts';
import { pythonBecause, withoutPython, writeImagery } from '../../../../observations/test/support/imagery.ts';
import { observationRules } from '../../../src/families/observations/config.ts';
import { findFrame } from '../../../src/families/observations/frames/table.ts';
import { chunksOf } from '../../../src/families/observations/sources/chunks.ts';
import { startSources } from '../../../src/families/observations/sources/feeds.ts';
import { listSources } from '../../../src/families/observations/sources/sources.ts';
import { dataStore, type StoreServer } from './support/data-store.ts';
import { openTrial, type Trial } from './support/trial.ts';

const STEP_MS = 600_000;
/** Seen in two chunks. */
const BBOX = [-1, -1, 1, 1];
const WANTED = chunksOf({ west: -1, south: -1, east: 1, north: 1 }).size;
const eumetsat = { consumer_key: new Secret('key'), consumer_secret: new Secret('secret') };
const source = { name: 'mtg', kind: 'data_store', satellite: 'mtg-0', bbox: BBOX, backfill: '1h' } as const;

test('a data store needs an account, frames of Meteosat, and a region that is one', () => {
  const rulesOf =
    (given: object, account: object = { eumetsat }) =>
    () =>
      observationRules({ sources: [{ ...source, ...given }], paths: [], ...account } as never);
  expect(rulesOf({}, {})).toThrow('set CONTRAILS_OBSERVATIONS__EUMETSAT__CONSUMER_KEY');
  expect(rulesOf({ satellite: 'goes-east' })).toThrow('has frames of mtg-0 only');
  expect(rulesOf({ bbox: [0, 50, 10, 40] })).toThrow('observations.sources[0].bbox is 0, 50, 10, 40');
  expect(rulesOf({ bucket: 'noaa-goes19' })).toThrow('bucket');
});

describe.skipIf(withoutPython)(`the Data Store as a source${pythonBecause}`, () => {
  const lastMs = Math.floor(Date.now() / STEP_MS) * STEP_MS - 3 * STEP_MS;
  let store: StoreServer;
  let trial: Trial;
  let directory: string;
  let observations: Parameters<typeof openTrial>[0]['observations'];

  /** Chunks in JPEG-LS by a real encoder, of a small disk. */
  const images = new Map<string, Buffer>();
  function contentOf(name: string): Buffer {
    const [, start = '', , chunk = ''] = /_OPE_(\d{14})_.*_C_(\d{4})_(\d{4})\.nc$/.exec(name) ?? [];
    const key = `${start} ${chunk}`;
    let bytes = images.get(key);
    if (bytes === undefined) {
      const path = join(directory, 'chunk.nc');
      const iso = start.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6');
      writeImagery([
        {
          kind: 'fci',
          path,
          start: iso,
          bands: ['T8', 'T11', 'T12'],
          chunk: Number(chunk),
          chunks: 40,
          size: 640,
          jpeg_ls: {},
        },
      ]);
      bytes = readFileSync(path);
      images.set(key, bytes);
    }
    return bytes;
  }
  const open = () => openTrial({ environment: { CONTRAILS_DATA: directory }, observations });
  const frameAt = (timeMs: number) => findFrame(trial.services.database, 'mtg-0', timeMs);

  beforeAll(async () => {
    directory = await temporaryDirectory();
    store = await dataStore([{ timeMs: lastMs - 30 * STEP_MS }, { timeMs: lastMs - STEP_MS }], contentOf);
    observations = {
      eumetsat,
      skip_stationary: false,
      attribution: false,
      sources: [{ ...source, endpoint: store.root, interval: '1s' }],
    };
    trial = await open();
  });
  afterAll(async () => {
    await trial.close();
    store.close();
  });

  test('is searched without an account, and only the chunks of the region are downloaded', async () => {
    await trial.look();
    expect(store.seen.tokens).toBe(0);
    expect(await frameAt(lastMs - 30 * STEP_MS)).toBeUndefined();
    await trial.work();
    expect(await frameAt(lastMs - STEP_MS)).toMatchObject({ state: 'done' });
    expect(store.seen.downloads).toHaveLength(WANTED);
    expect(store.seen.tokens).toBe(1);
  });

  test('is searched again from where it was left, without downloading anything twice', async () => {
    store.seen.downloads.length = 0;
    const [before] = await listSources(trial.services.database, Date.now());
    expect(before?.lookedUntilMs).toBeGreaterThan(lastMs);
    await trial.look();
    await trial.work();
    expect(store.seen.downloads).toEqual([]);
  });

  test('an ended token, a limit, a failure and a cut connection do not lose a frame', async () => {
    store.seen.downloads.length = 0;
    store.products = [...store.products, { timeMs: lastMs }];
    store.faults.push(
      (response) => response.writeHead(401).end(),
      (response) => response.writeHead(429, { 'retry-after': '0' }).end(),
      (response) => response.writeHead(503, { 'retry-after': '0' }).end(),
      (response, content) => {
        response.writeHead(200, { 'content-length': content.length });
        response.write(content.subarray(0, 1000));
        setTimeout(() => response.destroy(), 50);
      },
    );
    await trial.look();
    await trial.work();
    expect(await frameAt(lastMs)).toMatchObject({ state: 'done' });
    expect(store.seen.ranges).toHaveLength(1);
  });

  test('a product that is processed again makes a new edition of its frame', async () => {
    const before = await frameAt(lastMs);
    store.seen.downloads.length = 0;
    store.products = [{ timeMs: lastMs }, { timeMs: lastMs, processedMs: lastMs + 500_000 }];
    await trial.look();
    await trial.work();
    const after = await frameAt(lastMs);
    expect(after).toMatchObject({ state: 'done' });
    expect(after?.edition).not.toBe(before?.edition);
    expect(store.seen.downloads).toHaveLength(WANTED);
  });

  test('two processes share the work, and one that is started again goes on', async () => {
    const second = await open();
    store.seen.downloads.length = 0;
    store.products = [{ timeMs: lastMs + STEP_MS }];
    const log = createLog(trial.config.log);
    const watch = ({ services, config, rules }: Trial) => startSources(services, config.s3, rules, log);
    const watchers = await Promise.all([watch(trial), watch(second)]);
    await until('the frame is queued', async () => (await frameAt(lastMs + STEP_MS)) !== undefined);
    await Promise.all(watchers.map((one) => one.stop()));
    await Promise.all([trial.work(), second.work()]);
    expect(await frameAt(lastMs + STEP_MS)).toMatchObject({ state: 'done' });
    expect(store.seen.downloads).toHaveLength(WANTED);
    await second.close();

    store.products = [...store.products, { timeMs: lastMs + 2 * STEP_MS }];
    const again = await open();
    const watcher = await watch(again);
    await until('the next frame is queued', async () => (await frameAt(lastMs + 2 * STEP_MS)) !== undefined);
    await watcher.stop();
    await again.work();
    expect(await frameAt(lastMs + 2 * STEP_MS)).toMatchObject({ state: 'done' });
    expect(store.seen.downloads).toHaveLength(2 * WANTED);
    await again.close();
  });

  test('an account that EUMETSAT does not accept is an error with the remedy', async () => {
    const { inputs = [] } = (await frameAt(lastMs)) ?? {};
    const { downloadEntries } = await import(
      '../../../src/families/observations/sources/watched-data-store.ts'
    );
    const wrong = { consumer_key: new Secret('key'), consumer_secret: new Secret('wrong') };
    await expect(
      downloadEntries({ endpoint: store.root }, wrong, inputs, directory, AbortSignal.timeout(10_000)),
    ).rejects.toThrow('does not accept CONTRAILS_OBSERVATIONS__EUMETSAT__CONSUMER_KEY');
  });
});
