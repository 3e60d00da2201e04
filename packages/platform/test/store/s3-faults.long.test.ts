import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CancelledError, ConflictError, UnavailableError } from '@contrails/runtime/errors';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { s3Kind, s3Missing, startS3, type TestS3 } from '../../../../test/support/s3.ts';
import { until } from '../../../../test/support/until.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { sha256 } from './store.contract.ts';

const RETRY_POLICY = { connectMs: 10_000, requestMs: 10_000, uploadMs: 10_000, idleMs: 10_000, attempts: 3 };
const SHORT_DEADLINES = { ...RETRY_POLICY, requestMs: 400, uploadMs: 400, attempts: 2 };
const IDLE_MS = 400;
const LARGE_BYTES = 20_000_000;

describe.skipIf(s3Missing)(`faults of S3${s3Missing === undefined ? '' : ` (skipped: ${s3Missing})`}`, () => {
  let s3: TestS3;
  let proxy: FaultProxy;
  let bucket: string;
  let store: Store;
  const opened: Store[] = [];

  beforeAll(async () => {
    s3 = await startS3();
    proxy = await startFaultProxy(s3.access.endpoint);
  });
  afterAll(async () => {
    await proxy.close();
    await s3.close();
  });
  beforeEach(async () => {
    bucket = await s3.createBucket();
    store = await open();
  });
  afterEach(async () => {
    proxy.plan = () => undefined;
    for (const one of opened.splice(0)) await one.close();
  });

  async function open(access: object = {}, name = bucket): Promise<Store> {
    const place = { kind: 's3', bucket: name, prefix: 'data' } as const;
    const one = await openStore(place, {
      ...s3.access,
      endpoint: proxy.endpoint,
      retryPolicy: RETRY_POLICY,
      ...access,
    });
    opened.push(one);
    return one;
  }
  const everyCall: [string, (one: Store) => Promise<unknown>][] = [
    ['put', (one) => one.put('a', Buffer.from('x'))],
    ['put of a large stream', (one) => one.put('large', Readable.from([Buffer.alloc(LARGE_BYTES)]))],
    ['replace', (one) => one.replace('a', Buffer.from('x'), null)],
    ['head', (one) => one.head('a')],
    ['read', (one) => one.read('a')],
    ['list', (one) => Array.fromAsync(one.list(''))],
    ['remove', (one) => one.remove('a')],
    ['ping', (one) => one.ping()],
  ];
  const once = (method: string, fault: Fault): FaultProxy['plan'] => {
    let left = 1;
    return (asked) => (asked.method === method && left-- > 0 ? fault : undefined);
  };

  describe('a server that answers 500', () => {
    test.each(everyCall)('%s fails as unavailable, after a few attempts', async (_, call) => {
      proxy.plan = () => ({ kind: 'answer', status: 500 });
      const before = proxy.requests;
      const failing = call(store);
      await expect(failing).rejects.toThrow(UnavailableError);
      await expect(failing).rejects.toThrow(`the bucket ${bucket} at ${proxy.endpoint} answers 500`);
      expect(proxy.requests - before).toBeLessThanOrEqual(RETRY_POLICY.attempts);
    });

    test.each(everyCall)('%s works when it recovers in time', async (_, call) => {
      await store.put('a', Buffer.from('x'));
      await store.remove('a');
      let left = 2;
      proxy.plan = () => (left-- > 0 ? { kind: 'answer', status: 503 } : undefined);
      await call(store);
      expect(left).toBeLessThan(0);
    });
  });

  describe('a server that stalls', () => {
    test.each(everyCall)('%s fails as unavailable', async (_, call) => {
      proxy.plan = () => ({ kind: 'stall' });
      const failing = call(await open({ retryPolicy: SHORT_DEADLINES }));
      await expect(failing).rejects.toThrow(UnavailableError);
      await expect(failing).rejects.toThrow('did not answer in time');
    });

    test('in the middle of a listing does not hang', async () => {
      await store.put('a', Buffer.from('x'));
      proxy.plan = () => ({ kind: 'stall-body', afterBytes: 50 });
      const impatient = await open({ retryPolicy: SHORT_DEADLINES });
      await expect(Array.fromAsync(impatient.list(''))).rejects.toThrow(UnavailableError);
    });

    test('while it is stopped, works again when it goes on', async () => {
      const direct = await open({ endpoint: s3.access.endpoint, retryPolicy: SHORT_DEADLINES });
      // On a busy machine an answer may take longer than the short deadline.
      const isFound = () =>
        direct.head('a').then(
          (found) => found?.size === 1,
          () => false,
        );
      await store.put('a', Buffer.from('x'));
      await until('it has a connection', isFound);
      s3.pause();
      try {
        await expect(direct.head('a')).rejects.toThrow('did not answer in time');
      } finally {
        s3.resume();
      }
      await until('it is used again', isFound);
    });
  });

  describe('a body on its way', () => {
    const whole = randomBytes(2_000_000);
    beforeEach(async () => {
      await store.put('body.bin', whole);
      store = await open({ retryPolicy: { ...RETRY_POLICY, idleMs: IDLE_MS } });
    });

    test.each(['cut-body', 'stall-body'] as const)('goes on after a %s where it stopped', async (kind) => {
      for (const afterBytes of [0, 1, 1_000_000]) {
        proxy.plan = once('GET', { kind, afterBytes });
        const found = await store.read('body.bin');
        expect(found && (await buffer(found.body)).equals(whole)).toBe(true);
      }
    });

    test('of a range goes on within the range', async () => {
      proxy.plan = once('GET', { kind: 'cut-body', afterBytes: 1_000 });
      const found = await store.read('body.bin', { first: 500_000, last: 1_500_000 });
      expect(found && (await buffer(found.body)).equals(whole.subarray(500_000, 1_500_001))).toBe(true);
    });

    test.each(['cut-body', 'stall-body'] as const)(
      'fails as unavailable when nothing helps against a %s',
      async (kind) => {
        const found = await (async () => {
          proxy.plan = once('GET', { kind, afterBytes: 1_000 });
          return store.read('body.bin');
        })();
        proxy.plan = () => ({ kind, afterBytes: 0 });
        await expect(buffer(found?.body ?? Readable.from([]))).rejects.toThrow(UnavailableError);
      },
    );

    test('is never completed with bytes of another version', async () => {
      proxy.plan = once('GET', { kind: 'cut-body', afterBytes: 1_000 });
      const found = await store.read('body.bin');
      await store.put('body.bin', randomBytes(2_000_000));
      await expect(buffer(found?.body ?? Readable.from([]))).rejects.toThrow('changed while it was read');
    });

    test('that is read slowly arrives whole', async () => {
      const found = await store.read('body.bin');
      const pieces: Buffer[] = [];
      for await (const piece of found?.body ?? []) {
        // Longer than the connection may be silent.
        if (pieces.length === 1) await new Promise((resolve) => setTimeout(resolve, IDLE_MS * 2));
        pieces.push(piece);
      }
      expect(Buffer.concat(pieces).equals(whole)).toBe(true);
    });

    test('that is given up while the server stalls ends at once', async () => {
      const patient = await open({ retryPolicy: { ...RETRY_POLICY, idleMs: 600_000 } });
      proxy.plan = once('GET', { kind: 'stall-body', afterBytes: 1_000 });
      const found = await patient.read('body.bin');
      for await (const _ of found?.body ?? []) break;
      expect(found?.body.closed).toBe(true);
    });
  });

  describe('an answer that is lost', () => {
    test('of a replace does not make its success a conflict', async () => {
      const { sha256: first } = await store.put('manifest.json', Buffer.from('1'));
      proxy.plan = once('PUT', { kind: 'lose-answer' });
      const { sha256: second } = await store.replace('manifest.json', Buffer.from('2'), first);
      expect((await store.head('manifest.json'))?.sha256).toBe(second);
    });

    test('of a creation does not make its success a conflict', async () => {
      proxy.plan = once('PUT', { kind: 'lose-answer' });
      await store.replace('manifest.json', Buffer.from('1'), null);
      expect((await store.head('manifest.json'))?.size).toBe(1);
    });

    test('of a replace that somebody else has overtaken is neither success nor conflict', async () => {
      const { sha256: first } = await store.put('manifest.json', Buffer.from('1'));
      let puts = 0;
      proxy.plan = ({ method }) => {
        puts += method === 'PUT' ? 1 : 0;
        if (method === 'HEAD' && puts > 0) return { kind: 'answer', status: 404 };
        return method === 'PUT' && puts === 1 ? { kind: 'lose-answer' } : undefined;
      };
      const replacing = store.replace('manifest.json', Buffer.from('2'), first);
      await expect(replacing).rejects.toThrow(UnavailableError);
      await expect(replacing).rejects.toThrow('it is not known whether manifest.json was replaced');
    });

    test('of the last step of a large upload does not make it fail', async () => {
      const body = randomBytes(LARGE_BYTES);
      let lost = false;
      proxy.plan = ({ method, url }) => {
        if (lost || method !== 'POST' || !url.includes('uploadId=')) return undefined;
        lost = true;
        return { kind: 'lose-answer' };
      };
      await store.put('large.bin', body);
      expect(lost).toBe(true);
      expect((await store.head('large.bin'))?.sha256).toBe(sha256(body));
    });
  });

  describe('a large upload', () => {
    const uploads = async () => (await s3.client.listMultipartUploads({ Bucket: bucket })).Uploads ?? [];

    test('survives parts that fail', async () => {
      const body = randomBytes(LARGE_BYTES);
      let puts = 0;
      proxy.plan = ({ method }) => {
        puts += method === 'PUT' ? 1 : 0;
        return method === 'PUT' && puts % 2 === 1 ? { kind: 'answer', status: 500 } : undefined;
      };
      await store.put('large.bin', Readable.from([body]));
      expect((await store.head('large.bin'))?.sha256).toBe(sha256(body));
    });

    test('that fails leaves neither object nor parts nor temporary file', async () => {
      const before = await spooledFiles();
      proxy.plan = ({ url }) => (url.includes('partNumber=2') ? { kind: 'answer', status: 500 } : undefined);
      await expect(store.put('large.bin', Readable.from([randomBytes(LARGE_BYTES)]))).rejects.toThrow(
        UnavailableError,
      );
      expect(await store.head('large.bin')).toBeUndefined();
      expect(await uploads()).toEqual([]);
      expect(await spooledFiles()).toEqual(before);
    });

    test('that is cancelled leaves neither object nor parts', async () => {
      const stop = new AbortController();
      proxy.plan = ({ url }) => {
        if (!url.includes('partNumber=2')) return undefined;
        stop.abort();
        return { kind: 'stall' };
      };
      await expect(store.put('large.bin', randomBytes(LARGE_BYTES), { signal: stop.signal })).rejects.toThrow(
        CancelledError,
      );
      expect(await store.head('large.bin')).toBeUndefined();
      expect(await uploads()).toEqual([]);
    });
  });

  describe('a bucket that cannot be used', () => {
    const unchecked = s3Kind === 'moto' ? ' (skipped: moto checks no secrets)' : '';
    test.skipIf(unchecked !== '').each(everyCall)(
      `%s with a wrong secret reports what to check and not the secret${unchecked}`,
      async (_, call) => {
        const secretAccessKey = 'wrong-secret-never-shown';
        const error = await call(await open({ secretAccessKey })).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(UnavailableError);
        const { message, facts, cause } = error as UnavailableError;
        expect(message).toContain(`the bucket ${bucket} at ${proxy.endpoint} refuses access`);
        expect(JSON.stringify({ message, facts, cause })).not.toContain(secretAccessKey);
      },
    );

    test('that does not exist is named', async () => {
      const absent = await open({}, 'no-such-bucket');
      for (const [, call] of everyCall.filter(([name]) => !['head', 'remove'].includes(name))) {
        await expect(call(absent)).rejects.toThrow(
          /the bucket no-such-bucket at .* does not exist; create it/,
        );
      }
    });

    test('because no server listens is unavailable', async () => {
      const nobody = await startFaultProxy(s3.access.endpoint);
      await nobody.close();
      const lost = await open({ endpoint: nobody.endpoint });
      await expect(lost.head('a')).rejects.toThrow(/cannot be reached \(ECONNREFUSED\); check s3.endpoint/);
    });

    test('because its server ignores conditions is not ready', async () => {
      proxy.plan = ({ method }) => (method === 'PUT' ? { kind: 'answer', status: 200 } : undefined);
      await expect(store.ping()).rejects.toThrow('ignores conditions of writes');
    });

    test('because something else answers is unavailable', async () => {
      proxy.plan = () => ({ kind: 'answer', status: 200, body: '<html>It works!</html>' });
      for (const [, call] of everyCall.filter(([name]) => name !== 'remove')) {
        await expect(call(store)).rejects.toThrow(UnavailableError);
      }
    });
  });

  test('ping stores nothing', async () => {
    await store.ping();
    expect((await s3.client.listObjectsV2({ Bucket: bucket })).Contents ?? []).toEqual([]);
  });

  test('a server that is stopped and started again is used again', async () => {
    const direct = await open({ endpoint: s3.access.endpoint });
    await direct.put('a', Buffer.from('x'));
    await s3.stop();
    await expect(direct.put('a', Buffer.from('y'))).rejects.toThrow(UnavailableError);
    await s3.start();
    if (s3.kind === 'moto') await s3.client.createBucket({ Bucket: bucket });
    await direct.put('a', Buffer.from('z'));
    await expect(direct.replace('a', Buffer.from('w'), null)).rejects.toThrow(ConflictError);
  });
});

async function spooledFiles(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('contrails-upload-'));
}
