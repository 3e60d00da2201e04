import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import type { PostgresDatabases } from '../../../../test/support/postgres.ts';
import { type S3Buckets, s3Missing } from '../../../../test/support/s3.ts';
import { usePostgres, useS3 } from '../../../../test/support/shared-server.ts';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { killTelemetry, serviceOnS3 } from './telemetry-kill.ts';

const SMALL = { importers: 2, builders: 1 };

test('importers, builders and a server that are killed lose no acknowledged report and tear no hour', {
  timeout: 180_000,
}, async () => {
  const directory = await temporaryDirectory();
  const figures = await killTelemetry({
    ...SMALL,
    rounds: times(2),
    address: { kind: 'directory', path: join(directory, 'store') },
    database: 'embedded',
    directory,
    service: { data: directory },
  });
  expect(figures.losses).toEqual([]);
  expect(figures.acknowledgedBatches).toBeGreaterThan(0);
  expect(figures.reads).toBeGreaterThan(0);
});

describe.skipIf(s3Missing)(`in a bucket${s3Missing === undefined ? '' : ` (skipped: ${s3Missing})`}`, () => {
  let s3: S3Buckets;
  let postgres: PostgresDatabases;
  beforeAll(async () => {
    [s3, postgres] = await Promise.all([useS3(), usePostgres()]);
  });
  afterAll(async () => {
    await s3.close();
    await postgres.close();
  });

  test('the same holds on PostgreSQL', { timeout: 180_000 }, async () => {
    const bucket = await s3.createBucket();
    const database = await postgres.createDatabase();
    const figures = await killTelemetry({
      ...SMALL,
      rounds: times(1),
      address: { kind: 's3', bucket, prefix: 'kill' },
      access: s3.access,
      database,
      directory: '',
      service: serviceOnS3(s3, bucket, database),
    });
    expect(figures.losses).toEqual([]);
    expect(figures.acknowledgedBatches).toBeGreaterThan(0);
  });
});
