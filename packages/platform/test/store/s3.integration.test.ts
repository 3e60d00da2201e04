import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type S3Buckets, s3Missing } from '../../../../test/support/s3.ts';
import { useS3 } from '../../../../test/support/shared-server.ts';
import { openStore } from '../../src/store/index.ts';
import { describeStore } from './store.contract.ts';

describe.skipIf(s3Missing)(`S3${s3Missing === undefined ? '' : ` (skipped: ${s3Missing})`}`, () => {
  let s3: S3Buckets;
  beforeAll(async () => {
    s3 = await useS3();
  });
  afterAll(() => s3.close());

  describeStore('a store in a bucket', async () => {
    const address = { kind: 's3', bucket: await s3.createBucket(), prefix: '' } as const;
    return {
      store: await openStore(address, s3.access),
      other: await openStore(address, s3.access),
      async plant(key, bytes) {
        await s3.client.putObject({ Bucket: address.bucket, Key: key, Body: bytes });
      },
    };
  });

  test('stores below different prefixes of one bucket do not see each other', async () => {
    const bucket = await s3.createBucket();
    const open = (prefix: string) => openStore({ kind: 's3', bucket, prefix }, s3.access);
    const [a, b] = [await open('one/deep'), await open('one/deeper')];
    await a.put('x', Buffer.from('a'));
    await b.put('y', Buffer.from('b'));
    expect(await Array.fromAsync(a.list(''), ({ key }) => key)).toEqual(['x']);
    expect(await b.head('x')).toBeUndefined();
    expect((await s3.client.headObject({ Bucket: bucket, Key: 'one/deep/x' })).ContentLength).toBe(1);
  });

  test('a listing of more than one page is whole and in order', async () => {
    const bucket = await s3.createBucket();
    const store = await openStore({ kind: 's3', bucket, prefix: 'base' }, s3.access);
    const keys = Array.from({ length: 1_003 }, (_, n) => `page/${n}`);
    const waiting = [...keys];
    const putAll = async () => {
      for (let key = waiting.pop(); key !== undefined; key = waiting.pop())
        await store.put(key, Buffer.from('x'));
    };
    await Promise.all(Array.from({ length: 16 }, putAll));
    expect(await Array.fromAsync(store.list('page/'), ({ key }) => key)).toEqual(keys.sort());
  });

  test('what is not a key is not listed', async () => {
    const bucket = await s3.createBucket();
    const store = await openStore({ kind: 's3', bucket, prefix: '' }, s3.access);
    for (const Key of ['with blank', '.hidden', 'directory/', 'plain']) {
      await s3.client.putObject({ Bucket: bucket, Key, Body: new Uint8Array() });
    }
    expect(await Array.fromAsync(store.list(''), ({ key }) => key)).toEqual(['plain']);
  });
});
