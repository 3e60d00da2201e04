import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresDatabases } from '../../../../../test/support/postgres.ts';
import { type S3Buckets, s3Missing } from '../../../../../test/support/s3.ts';
import { usePostgres, useS3 } from '../../../../../test/support/shared-server.ts';
import { findFrame } from '../../../src/families/observations/frames/table.ts';
import { prefixesBetween } from '../../../src/families/observations/sources/bucket.ts';
import { listSources } from '../../../src/families/observations/sources/sources.ts';
import { abiBytes, abiName } from './support/imagery.ts';
import { openTrial, type Trial } from './support/trial.ts';

const STEP_MS = 600_000;
const PREFIX = 'ABI-L2-CMIPF/{year}/{day_of_year}/{hour}/';
const LINES = [[0.4, 40]] as const;

test('the prefixes of a time are those of the public archives', () => {
  const fromMs = Date.UTC(2023, 11, 31, 23, 15);
  const toMs = Date.UTC(2024, 0, 1, 0, 5);
  expect(prefixesBetween(PREFIX, fromMs, toMs)).toEqual([
    'ABI-L2-CMIPF/2023/365/23/',
    'ABI-L2-CMIPF/2024/001/00/',
  ]);
  expect(
    prefixesBetween('AHI-L1b-FLDK/{year}/{month}/{day}/{hour}{minute}/', fromMs, fromMs + STEP_MS),
  ).toEqual(['AHI-L1b-FLDK/2023/12/31/2310/', 'AHI-L1b-FLDK/2023/12/31/2320/']);
});

describe.skipIf(s3Missing)(
  `a bucket of imagery, on PostgreSQL and a bucket${s3Missing === undefined ? '' : ` (skipped: ${s3Missing})`}`,
  () => {
    let s3: S3Buckets;
    let postgres: PostgresDatabases;
    let archive: string;
    let trial: Trial;
    const lastMs = Math.floor(Date.now() / STEP_MS) * STEP_MS - 3 * STEP_MS;

    beforeAll(async () => {
      [s3, postgres] = await Promise.all([useS3(), usePostgres()]);
      archive = await s3.createBucket();
      trial = await openTrial({
        environment: {
          CONTRAILS_DATA: `s3://${await s3.createBucket()}/base`,
          CONTRAILS_DATABASE: await postgres.createDatabase(),
          CONTRAILS_S3__ENDPOINT: s3.access.endpoint,
          CONTRAILS_S3__REGION: s3.access.region,
          CONTRAILS_S3__PATH_STYLE: 'true',
          CONTRAILS_S3__ACCESS_KEY_ID: s3.access.accessKeyId,
          CONTRAILS_S3__SECRET_ACCESS_KEY: s3.access.secretAccessKey,
        },
        observations: {
          sources: [
            {
              name: 'archive',
              kind: 'bucket',
              satellite: 'goes-east',
              bucket: archive,
              prefix: PREFIX,
              endpoint: s3.access.endpoint,
              signed: true,
              backfill: '1h',
            },
          ],
        },
      });
    });
    afterAll(async () => {
      await trial.close();
      await s3.close();
      await postgres.close();
    });

    async function put(timeMs: number, band: 14 | 15, bytes?: Buffer): Promise<string> {
      const [prefix = ''] = prefixesBetween(PREFIX, timeMs, timeMs);
      const Key = `${prefix}${abiName(timeMs, band)}`;
      const Body = bytes ?? (await abiBytes({ timeMs, lines: LINES }, [band]));
      await s3.client.putObject({ Bucket: archive, Key, Body });
      return Key;
    }

    const frameAt = (timeMs: number) => findFrame(trial.services.database, 'goes-east', timeMs);

    test('is listed by its prefixes, and complete frames are processed', async () => {
      await put(lastMs, 14);
      await put(lastMs - STEP_MS, 14);
      await put(lastMs - STEP_MS, 15);
      // Older than the backfill, and of another instrument.
      await put(lastMs - 30 * STEP_MS, 14);
      const [prefix = ''] = prefixesBetween(PREFIX, lastMs, lastMs);
      await s3.client.putObject({ Bucket: archive, Key: `${prefix}README.txt`, Body: 'hello' });
      await trial.look();
      await trial.work();
      expect(await frameAt(lastMs)).toMatchObject({ state: 'collecting' });
      const frame = await frameAt(lastMs - STEP_MS);
      expect(frame).toMatchObject({ state: 'done' });
      expect(frame?.manifest?.l2?.segments).toBeGreaterThan(0);
      expect(await frameAt(lastMs - 30 * STEP_MS)).toBeUndefined();
      expect(await trial.services.store.head(frame?.manifest?.l1?.key ?? '')).toMatchObject({
        sha256: frame?.manifest?.l1?.sha256,
      });
    });

    test('is listed again from where it was left, and finds what came since', async () => {
      const [before] = await listSources(trial.services.database, Date.now());
      expect(before?.lookedUntilMs).toBeGreaterThan(lastMs);
      await put(lastMs, 15);
      await trial.look();
      await trial.work();
      expect(await frameAt(lastMs)).toMatchObject({ state: 'done' });
    });

    test('an object that is damaged is quarantined until it is replaced', async () => {
      const timeMs = lastMs - 2 * STEP_MS;
      const whole = await abiBytes({ timeMs, lines: LINES }, [14]);
      await put(timeMs, 14, whole.subarray(0, 5000));
      await put(timeMs, 15);
      await trial.look();
      await trial.work();
      expect(await frameAt(timeMs)).toMatchObject({ state: 'quarantined', reason: 'unreadable' });
      await put(timeMs, 14, whole);
      await trial.look();
      await trial.work();
      expect(await frameAt(timeMs)).toMatchObject({ state: 'done' });
    });

    test('a bucket that is not there is an error of its source, which names it', async () => {
      const lost = await openTrial({
        observations: {
          sources: [
            {
              name: 'lost',
              kind: 'bucket',
              satellite: 'goes-east',
              bucket: 'not-there',
              prefix: PREFIX,
              endpoint: s3.access.endpoint,
            },
          ],
        },
      });
      try {
        await expect(lost.look()).rejects.toThrow(/the bucket not-there at/);
      } finally {
        await lost.close();
      }
    });
  },
);
