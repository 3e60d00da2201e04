import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { s3Missing, startS3, type TestS3 } from '../../../../../test/support/s3.ts';
import { readTools } from '../../../../../test/support/tools.ts';
import { openZarr, type ZarrOptions } from '../../../src/sources/zarr/source.ts';
import { differences } from '../../support/written-netcdf.ts';
import { readWritten, wholeWindow } from '../../support/written-weather.ts';

const { python, missing } = readTools();
const absent = python === null ? `Python (${missing.python})` : s3Missing;
const title = `Zarr in a bucket${absent === undefined ? '' : `: needs ${absent}`}`;

describe.skipIf(absent !== undefined)(title, () => {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-zarr-s3-'));
  /** A name with what has to be escaped in a signature. */
  const prefix = 'weather (own)/år=2024';
  let server: TestS3;
  let bucket: string;
  let open: string;

  beforeAll(async () => {
    const script = join(import.meta.dirname, '../../support/write_zarr.py');
    execFileSync(python ?? '', [script, directory, '-', 'blocks-zstd', 'v3-gzip'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server = await startS3();
    bucket = await server.createBucket();
    open = await server.createBucket();
    for (const target of [bucket, open]) await upload(target);
    await server.client.putBucketPolicy({
      Bucket: open,
      Policy: JSON.stringify({
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${open}/*` },
        ],
      }),
    });
  });
  afterAll(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  async function upload(target: string): Promise<void> {
    for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.parentPath.includes('.zarr')) continue;
      const path = join(entry.parentPath, entry.name);
      await server.client.putObject({
        Bucket: target,
        Key: `${prefix}/${relative(directory, path)}`,
        Body: readFileSync(path),
      });
    }
  }

  async function read(address: string, name: string, more: Partial<ZarrOptions>) {
    const source = openZarr({
      name: 'test',
      directory,
      paths: [address],
      provider: 'ECMWF',
      dataset: 'ERA5',
      product: 'reanalysis',
      threads: 1,
      http: { pauseMs: 1, stallMs: 2_000, attempts: 2 },
      s3Endpoint: server.access.endpoint,
      ...more,
    });
    try {
      return await source.read(wholeWindow(readWritten(directory, name)));
    } finally {
      await source.close();
    }
  }

  const keys = () => ({
    accessKeyId: server.access.accessKeyId,
    secretAccessKey: server.access.secretAccessKey,
  });
  const address = (target: string, name: string) => `s3://${target}/${prefix}/${name}.zarr`;

  test.each([
    ['blocks-zstd', 'as a whole', 2 ** 20],
    ['blocks-zstd', 'in pieces', 500],
    ['v3-gzip', 'without consolidated metadata', 2 ** 20],
  ])('%s is read with keys, %s', async (name, _, pieceBytes) => {
    const field = await read(address(bucket, name), name, { s3Credentials: keys(), pieceBytes });
    expect(differences(field, readWritten(directory, name)).slice(0, 5)).toEqual([]);
  });

  test('a public bucket is read without keys', async () => {
    const field = await read(address(open, 'blocks-zstd'), 'blocks-zstd', {});
    expect(differences(field, readWritten(directory, 'blocks-zstd')).slice(0, 5)).toEqual([]);
  });

  test.skipIf(absent === undefined && readTools().versitygw === null)(
    'a private bucket is refused without keys, with the remedy (needs versitygw, which checks keys)',
    async () => {
      await expect(read(address(bucket, 'blocks-zstd'), 'blocks-zstd', {})).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringMatching(/403.*s3_signed/),
      });
    },
  );

  test.skipIf(absent === undefined && readTools().versitygw === null)(
    'wrong keys are refused (needs versitygw, which checks keys)',
    async () => {
      const wrong = { ...keys(), secretAccessKey: 'wrong' };
      await expect(
        read(address(bucket, 'blocks-zstd'), 'blocks-zstd', { s3Credentials: wrong }),
      ).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining('403') });
    },
  );

  test('a server that stalls makes the source unavailable', async () => {
    server.pause();
    try {
      await expect(
        read(address(bucket, 'blocks-zstd'), 'blocks-zstd', { s3Credentials: keys() }),
      ).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining('sends nothing') });
    } finally {
      server.resume();
    }
  });
});
