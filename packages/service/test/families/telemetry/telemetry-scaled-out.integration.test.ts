import { openStore } from '@contrails/platform/store';
import { afterAll, beforeAll, describe } from 'vitest';
import type { PostgresDatabases } from '../../../../../test/support/postgres.ts';
import { type S3Buckets, s3Missing } from '../../../../../test/support/s3.ts';
import { usePostgres, useS3 } from '../../../../../test/support/shared-server.ts';
import { openDatabase } from '../../../src/migrations.ts';
import { describeTelemetry } from './telemetry.contract.ts';

describe.skipIf(s3Missing)(`S3${s3Missing === undefined ? '' : ` (skipped: ${s3Missing})`}`, () => {
  let s3: S3Buckets;
  let postgres: PostgresDatabases;
  beforeAll(async () => {
    [s3, postgres] = await Promise.all([useS3(), usePostgres()]);
  });
  afterAll(async () => {
    await s3.close();
    await postgres.close();
  });

  describeTelemetry('telemetry on PostgreSQL and a bucket', async () => {
    const url = await postgres.createDatabase();
    const bucket = await s3.createBucket();
    const open = async () => ({
      database: await openDatabase({ database: url, directory: '' }),
      store: await openStore({ kind: 's3', bucket, prefix: 'base' }, s3.access),
    });
    const one = await open();
    const other = await open();
    return {
      one,
      other,
      async close() {
        for (const { database, store } of [one, other]) {
          await store.close();
          await database.close();
        }
      },
    };
  });
});
