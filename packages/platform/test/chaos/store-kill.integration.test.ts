import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { type S3Buckets, s3Missing } from '../../../../test/support/s3.ts';
import { useS3 } from '../../../../test/support/shared-server.ts';
import { killWriters } from './store-kill.ts';

describe.skipIf(s3Missing)(
  `writers to a bucket${s3Missing === undefined ? '' : ` (skipped: ${s3Missing})`}`,
  () => {
    let s3: S3Buckets;
    beforeAll(async () => {
      s3 = await useS3();
    });
    afterAll(() => s3.close());
    const newAddress = async () =>
      ({ kind: 's3', bucket: await s3.createBucket(), prefix: 'chaos' }) as const;

    test('that are killed in a loop tear and lose nothing', { timeout: 120_000 }, async () => {
      const figures = await killWriters({
        rounds: times(2),
        writers: 2,
        address: await newAddress(),
        access: s3.access,
      });
      expect(figures.losses).toEqual([]);
      expect(figures.puts).toBeGreaterThan(0);
    });

    test('that count in one manifest lose no count', { timeout: 120_000 }, async () => {
      const address = await newAddress();
      const figures = await killWriters({
        rounds: 1,
        writers: 2,
        address,
        access: s3.access,
        steps: 15,
        countsOnly: true,
      });
      expect(figures).toMatchObject({ losses: [], counts: 30, unreportedCounts: 0 });
    });
  },
);
