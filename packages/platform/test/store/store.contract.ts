import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CancelledError, ConflictError, ValidationError } from '@contrails/runtime/errors';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import type { ByteRange, Store } from '../../src/store/index.ts';
import { HOSTILE_KEYS, objectKeys } from './keys.ts';

export interface OpenedStores {
  /** Two handles on one empty store, as two processes have them. */
  readonly store: Store;
  readonly other: Store;
  /** Puts an object there without the store's help. */
  plant(key: string, bytes: Uint8Array): Promise<void>;
}

/** What every form of the store promises. */
export function describeStore(name: string, open: () => Promise<OpenedStores>): void {
  describe(name, () => {
    let store: Store;
    let other: Store;
    let plant: OpenedStores['plant'];

    beforeAll(async () => {
      ({ store, other, plant } = await open());
    });
    afterAll(async () => {
      await store.close();
      await other.close();
    });

    const bytesOf = async (key: string, range?: ByteRange) => {
      const found = await store.read(key, range);
      return found && buffer(found.body);
    };
    const keysOf = async (prefix: string) => {
      const keys: string[] = [];
      for await (const { key } of store.list(prefix)) keys.push(key);
      return keys;
    };

    describe('put', () => {
      test('the bytes come back, with their size, hash and time', async () => {
        const body = randomBytes(100_000);
        const before = Date.now();
        const written = await store.put('put/plain.bin', body);
        expect(written).toEqual({ key: 'put/plain.bin', size: 100_000, sha256: sha256(body) });
        const found = await other.read('put/plain.bin');
        expect(found?.info).toEqual({ ...written, modifiedMs: expect.any(Number) });
        // Whole seconds in a bucket.
        expect(found?.info.modifiedMs).toBeGreaterThan(before - 2_000);
        expect(found && (await buffer(found.body)).equals(body)).toBe(true);
      });

      test('a stream in any pieces is the same object as its bytes', async () => {
        const pieces = fc.array(fc.uint8Array({ maxLength: 2_000 }), { maxLength: 12 });
        await fc.assert(
          fc.asyncProperty(pieces, async (list) => {
            const { sha256: hash, size } = await store.put('put/pieces.bin', Readable.from(list));
            const whole = Buffer.concat(list);
            expect({ hash, size }).toEqual({ hash: sha256(whole), size: whole.length });
            expect((await bytesOf('put/pieces.bin'))?.equals(whole)).toBe(true);
          }),
          { numRuns: times(8) },
        );
      });

      test('a stream of text is stored as UTF-8', async () => {
        await store.put('put/text.json', Readable.from(['{"name":', '"Zürich"}']));
        expect((await bytesOf('put/text.json'))?.toString()).toBe('{"name":"Zürich"}');
      });

      test('a stream of 20 MB arrives whole', async () => {
        const piece = randomBytes(1_000_000);
        const hash = createHash('sha256');
        async function* source() {
          for (let n = 0; n < 20; n += 1) {
            piece.writeUInt32LE(n);
            hash.update(piece);
            yield Buffer.from(piece);
          }
        }
        const written = await store.put('put/large.bin', Readable.from(source()));
        expect(written).toEqual({ key: 'put/large.bin', size: 20_000_000, sha256: hash.digest('hex') });
        expect(sha256((await bytesOf('put/large.bin')) ?? new Uint8Array())).toBe(written.sha256);
      });

      test('an object may be empty', async () => {
        await store.put('put/empty', new Uint8Array());
        expect(await store.head('put/empty')).toMatchObject({ size: 0, sha256: sha256(new Uint8Array()) });
        expect(await bytesOf('put/empty')).toEqual(Buffer.alloc(0));
      });

      test('an object replaces the one before', async () => {
        await store.put('put/again', Buffer.from('a longer first version'));
        const { sha256: hash } = await other.put('put/again', Buffer.from('second'));
        expect((await store.head('put/again'))?.sha256).toBe(hash);
        expect((await bytesOf('put/again'))?.toString()).toBe('second');
      });

      test('many at once are all stored', async () => {
        const keys = Array.from({ length: 40 }, (_, n) => `put/many/${n}`);
        await Promise.all(keys.map((key, n) => (n % 2 === 0 ? store : other).put(key, Buffer.from(key))));
        const infos = await Promise.all(keys.map((key) => store.head(key)));
        expect(infos.map((info) => info?.sha256)).toEqual(keys.map((key) => sha256(Buffer.from(key))));
      });

      test('a body that fails stores nothing and its error comes back as it is', async () => {
        await store.put('put/failing', Buffer.from('before'));
        const fault = Object.assign(new Error('the source is gone'), { code: 'ENOSPC', syscall: 'read' });
        async function* source() {
          yield randomBytes(300_000);
          throw fault;
        }
        await expect(store.put('put/failing', Readable.from(source()))).rejects.toBe(fault);
        expect((await bytesOf('put/failing'))?.toString()).toBe('before');
      });

      test('a body that stops without an end stores nothing', async () => {
        const body = new Readable({ read() {} });
        body.push('half');
        const putting = store.put('put/stopped', body);
        setImmediate(() => body.destroy());
        await expect(putting).rejects.toThrow(/premature close/i);
        expect(await store.head('put/stopped')).toBeUndefined();
      });

      test('a stream that was read before is refused, not stored as empty', async () => {
        const body = Readable.from([Buffer.from('once')]);
        await store.put('put/once', body);
        await expect(store.put('put/twice', body)).rejects.toThrow('has been read already');
        expect(await store.head('put/twice')).toBeUndefined();
      });

      test('an aborted signal stops a body that never ends', async () => {
        const stop = new AbortController();
        const body = new Readable({ read() {} });
        body.push(randomBytes(1000));
        const putting = store.put('put/aborted', body, { signal: stop.signal });
        setImmediate(() => stop.abort());
        await expect(putting).rejects.toThrow(CancelledError);
        expect(body.destroyed).toBe(true);
        expect(await store.head('put/aborted')).toBeUndefined();
      });

      test('a signal that was aborted before stores nothing', async () => {
        const signal = AbortSignal.abort();
        await expect(store.put('put/late', Buffer.from('x'), { signal })).rejects.toThrow(CancelledError);
        await expect(store.put('put/late', Readable.from(['x']), { signal })).rejects.toThrow(CancelledError);
        expect(await store.head('put/late')).toBeUndefined();
      });

      test('a body that is not wanted is destroyed', async () => {
        const body = new Readable({ read() {} });
        await expect(store.put('../out', body)).rejects.toThrow(ValidationError);
        expect(body.destroyed).toBe(true);
      });
    });

    describe('replace', () => {
      test('creates only what is not there', async () => {
        await store.replace('replace/new.json', Buffer.from('1'), null);
        await expect(other.replace('replace/new.json', Buffer.from('2'), null)).rejects.toThrow(
          'replace/new.json exists already',
        );
        expect((await bytesOf('replace/new.json'))?.toString()).toBe('1');
      });

      test('replaces only the version it names', async () => {
        const first = await store.put('replace/version.json', Buffer.from('1'));
        const second = await other.replace('replace/version.json', Buffer.from('2'), first.sha256);
        expect(second).toEqual({ key: 'replace/version.json', size: 1, sha256: sha256(Buffer.from('2')) });
        await expect(
          store.replace('replace/version.json', Buffer.from('3'), first.sha256),
        ).rejects.toBeInstanceOf(ConflictError);
        expect((await bytesOf('replace/version.json'))?.toString()).toBe('2');
      });

      test('a version of something that is gone is a conflict', async () => {
        const { sha256: hash } = await store.put('replace/gone.json', Buffer.from('1'));
        await other.remove('replace/gone.json');
        await expect(store.replace('replace/gone.json', Buffer.from('2'), hash)).rejects.toThrow(
          'replace/gone.json does not exist',
        );
        expect(await store.head('replace/gone.json')).toBeUndefined();
      });

      test('of many at once exactly one wins', async () => {
        const { sha256: hash } = await store.put('replace/race.json', Buffer.from('start'));
        for (const expected of [hash, null]) {
          if (expected === null) await store.remove('replace/race.json');
          const attempts = Array.from({ length: 12 }, (_, n) =>
            (n % 2 === 0 ? store : other).replace('replace/race.json', Buffer.from(`writer ${n}`), expected),
          );
          const results = await Promise.allSettled(attempts);
          const winners = results.flatMap((result, n) => (result.status === 'fulfilled' ? [n] : []));
          const losers = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
          expect(winners).toHaveLength(1);
          expect(losers.every((reason) => reason instanceof ConflictError)).toBe(true);
          expect((await bytesOf('replace/race.json'))?.toString()).toBe(`writer ${winners[0]}`);
        }
      });
    });

    describe('read', () => {
      test('every range is what a slice of the bytes is', async () => {
        const whole = randomBytes(5_000);
        await store.put('read/range.bin', whole);
        const position = fc.oneof(fc.nat(5_200), fc.constantFrom(0, 4_998, 4_999, 5_000, 5_001, 2 ** 40));
        await fc.assert(
          fc.asyncProperty(position, position, async (a, b) => {
            const range = { first: Math.min(a, b), last: Math.max(a, b) };
            const part = await bytesOf('read/range.bin', range);
            expect(part?.equals(whole.subarray(range.first, range.last + 1))).toBe(true);
          }),
          { numRuns: times(25) },
        );
      });

      test('a range reports the size and hash of the whole object', async () => {
        const whole = Buffer.from('0123456789');
        await store.put('read/info.bin', whole);
        for (const first of [3, 10, 11]) {
          const found = await store.read('read/info.bin', { first, last: 12 });
          expect(found?.info).toMatchObject({ size: 10, sha256: sha256(whole) });
          expect((found && (await buffer(found.body)))?.toString()).toBe('0123456789'.slice(first));
        }
      });

      test('a range of an empty object is empty', async () => {
        await store.put('read/empty', new Uint8Array());
        expect(await bytesOf('read/empty', { first: 0, last: 9 })).toEqual(Buffer.alloc(0));
      });

      test.each([
        { first: -1, last: 2 },
        { first: 3, last: 2 },
        { first: 0.5, last: 2 },
        { first: 0, last: Number.NaN },
        { first: 0, last: Number.POSITIVE_INFINITY },
      ])('rejects the range $first to $last', async (range) => {
        await expect(store.read('read/range.bin', range)).rejects.toThrow(RangeError);
      });

      test('what is not there is undefined', async () => {
        expect(await store.read('read/absent')).toBeUndefined();
        expect(await store.read('read/absent', { first: 0, last: 1 })).toBeUndefined();
        expect(await store.head('read/absent')).toBeUndefined();
        expect(await store.head('absent/directory/file')).toBeUndefined();
      });

      test('a body may be given up, before or while it is read', async () => {
        await store.put('read/abandoned.bin', randomBytes(3_000_000));
        const unread = await store.read('read/abandoned.bin');
        unread?.body.destroy();
        const begun = await store.read('read/abandoned.bin');
        for await (const _ of begun?.body ?? []) break;
        expect(begun?.body.destroyed).toBe(true);
        expect(await bytesOf('read/abandoned.bin')).toHaveLength(3_000_000);
      });

      test('while an object is being replaced a reader gets one version whole', async () => {
        const versions = [100, 400_000].map((length) => randomBytes(length));
        const put = async (n: number) => store.put('read/busy.bin', versions[n % 2] ?? new Uint8Array());
        await put(0);
        let writing = true;
        const writer = (async () => {
          for (let n = 1; n <= 15; n += 1) await put(n);
          writing = false;
        })();
        const hashes = new Set<string>();
        while (writing) {
          const found = await other.read('read/busy.bin');
          const bytes = found && (await buffer(found.body));
          expect(bytes && { size: bytes.length, sha256: sha256(bytes) }).toEqual({
            size: found?.info.size,
            sha256: found?.info.sha256,
          });
          if (found) hashes.add(found.info.sha256);
        }
        await writer;
        expect(hashes.size).toBeGreaterThan(0);
      });
    });

    describe('list', () => {
      test('objects come in the order of their keys, with size and time', async () => {
        const keys = ['a-b/x', 'a.b/x', 'a/x', 'a/y/z', 'a/y-z', 'a=b', 'B', 'a0'];
        for (const key of keys) await store.put(`list/${key}`, Buffer.from(key));
        const listed = [];
        for await (const item of store.list('list/')) listed.push(item);
        expect(listed).toEqual(
          [...keys]
            .sort()
            .map((key) => ({ key: `list/${key}`, size: key.length, modifiedMs: expect.any(Number) })),
        );
      });

      test('a prefix selects exactly the keys that start with it', async () => {
        const sets = fc.uniqueArray(objectKeys(), { minLength: 1, maxLength: 8 });
        let round = 0;
        await fc.assert(
          fc.asyncProperty(sets, fc.nat(), fc.nat(), async (set, which, length) => {
            round += 1;
            const keys = set.map((key) => `prefix/${round}/${key}`);
            await Promise.all(keys.map((key) => store.put(key, Buffer.from('x'))));
            const chosen = keys[which % keys.length] ?? '';
            const least = `prefix/${round}/`.length;
            const prefix = chosen.slice(0, least + (length % (chosen.length - least + 1)));
            expect(await keysOf(prefix)).toEqual(keys.filter((key) => key.startsWith(prefix)).sort());
          }),
          { numRuns: times(8) },
        );
      });

      test('an unused prefix lists nothing', async () => {
        expect(await keysOf('nobody/used/this')).toEqual([]);
      });

      test('the empty prefix lists every object', async () => {
        await store.put('zzz/last', Buffer.from('x'));
        const keys = await keysOf('');
        expect(keys.at(-1)).toBe('zzz/last');
        expect(keys).toEqual([...keys].sort());
      });
    });

    describe('remove', () => {
      test('removes the object and returns whether there was one', async () => {
        await store.put('remove/one', Buffer.from('x'));
        expect(await other.remove('remove/one')).toBe(true);
        expect(await store.head('remove/one')).toBeUndefined();
        expect(await store.remove('remove/one')).toBe(false);
        expect(await keysOf('remove/')).toEqual([]);
      });

      test('a key whose directory was emptied can be used again', async () => {
        await store.put('emptied/directory/file', Buffer.from('x'));
        await store.remove('emptied/directory/file');
        await store.put('emptied', Buffer.from('now an object'));
        expect((await bytesOf('emptied'))?.toString()).toBe('now an object');
      });
    });

    describe('keys', () => {
      test.each(HOSTILE_KEYS)('%j is refused everywhere', async (key) => {
        const before = await keysOf('');
        for (const attempt of [
          store.put(key, Buffer.from('x')),
          store.replace(key, Buffer.from('x'), null),
          store.read(key),
          store.head(key),
          store.remove(key),
        ]) {
          await expect(attempt).rejects.toThrow(ValidationError);
        }
        expect(await keysOf('')).toEqual(before);
      });
    });

    describe('objects that others put there', () => {
      test('have a hash, too', async () => {
        const bytes = randomBytes(50_000);
        await plant('planted/object.bin', bytes);
        expect(await store.head('planted/object.bin')).toMatchObject({ size: 50_000, sha256: sha256(bytes) });
        expect(await bytesOf('planted/object.bin', { first: 7, last: 9 })).toEqual(bytes.subarray(7, 10));
      });

      test('can be replaced by a caller that knows their hash', async () => {
        await plant('planted/manifest.json', Buffer.from('by hand'));
        await expect(
          store.replace('planted/manifest.json', Buffer.from('x'), sha256(Buffer.from('other'))),
        ).rejects.toThrow(ConflictError);
        await store.replace('planted/manifest.json', Buffer.from('by us'), sha256(Buffer.from('by hand')));
        expect((await bytesOf('planted/manifest.json'))?.toString()).toBe('by us');
      });

      test('over one of ours change its hash', async () => {
        await store.put('planted/over.bin', Buffer.from('ours'));
        await plant('planted/over.bin', Buffer.from('hers'));
        expect((await store.head('planted/over.bin'))?.sha256).toBe(sha256(Buffer.from('hers')));
      });
    });

    test('closing twice is closing once', async () => {
      const { store: closed, other: alsoClosed } = await open();
      await closed.close();
      await expect(closed.close()).resolves.toBeUndefined();
      await alsoClosed.close();
    });

    test('ping succeeds', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });
  });
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
