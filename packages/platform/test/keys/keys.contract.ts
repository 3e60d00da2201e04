import { ConflictError, NotFoundError, UsageError } from '@contrails/runtime/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/index.ts';
import { hashSecret, parseKey } from '../../src/keys/format.ts';
import { createKeys, type Keys } from '../../src/keys/index.ts';
import { testScopes } from '../support/api.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

/** What the repository of keys promises on every form of the database. */
export function describeKeys(name: string, open: () => Promise<Database>): void {
  describe(`keys on ${name}`, () => {
    let database: Database;
    let keys: Keys;
    let nowMs = NOW_MS;
    beforeAll(async () => {
      database = await open();
      keys = createKeys(database, testScopes, () => nowMs);
    });
    afterAll(() => database.close());

    test('an ordinary key has the defaults, and its secret is stored as a hash alone', async () => {
      const { key, text } = await keys.create({ name: '  Éole ✈  ' });
      expect(key).toEqual({
        id: parseKey(text)?.id,
        name: 'Éole ✈',
        scopes: ['research', 'forecast', 'planning', 'observations', 'inventory'],
        expiresMs: null,
        ratePerMinute: 600,
        concurrency: 25,
        createdMs: NOW_MS,
        revokedMs: null,
      });
      const secret = parseKey(text)?.secret ?? '';
      const found = await keys.find(key.id);
      expect(found?.key).toEqual(key);
      expect(Buffer.from(found?.secretSha256 ?? []).equals(hashSecret(secret))).toBe(true);
      expect(JSON.stringify(await database.query('SELECT * FROM keys'))).not.toContain(secret);
    });

    test('everything that was asked for is kept', async () => {
      const wanted = {
        name: 'all',
        scopes: ['adsb', 'inventory:segments'],
        expiresMs: NOW_MS + 1,
        ratePerMinute: 1,
        concurrency: 1,
      } as const;
      const { key } = await keys.create(wanted);
      expect((await keys.find(key.id))?.key).toMatchObject(wanted);
    });

    test.each([
      ['name', { name: '' }],
      ['name', { name: ' \t ' }],
      ['name', { name: 'a\u0000b' }],
      ['name', { name: 'a\nb' }],
      ['name', { name: '\ud800' }],
      ['name', { name: 'x'.repeat(101) }],
      ['expires', { name: 'x', expiresMs: NOW_MS }],
      ['expires', { name: 'x', expiresMs: Number.NaN }],
      ['rate', { name: 'x', ratePerMinute: 0 }],
      ['rate', { name: 'x', ratePerMinute: 1.5 }],
      ['rate', { name: 'x', ratePerMinute: Number.POSITIVE_INFINITY }],
      ['concurrency', { name: 'x', concurrency: -1 }],
      ['scopes', { name: 'x', scopes: [] }],
    ])('a key with a bad %s is refused: %j', async (field, wanted) => {
      const error = await keys.create(wanted).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(UsageError);
      expect(error).toMatchObject({ facts: { field } });
    });

    test('rotating changes the secret and nothing else', async () => {
      const before = await keys.create({ name: 'rotated' });
      const after = await keys.rotate(before.key.id);
      expect(after.key).toEqual(before.key);
      expect(parseKey(after.text)?.id).toBe(before.key.id);
      expect(after.text).not.toBe(before.text);
      const stored = (await keys.find(before.key.id))?.secretSha256;
      expect(Buffer.from(stored ?? []).equals(hashSecret(parseKey(after.text)?.secret ?? ''))).toBe(true);
    });

    test('revoking is for good and keeps its first time', async () => {
      const { key } = await keys.create({ name: 'revoked' });
      expect((await keys.revoke(key.id)).revokedMs).toBe(NOW_MS);
      nowMs = NOW_MS + 1_000;
      expect((await keys.revoke(key.id)).revokedMs).toBe(NOW_MS);
      nowMs = NOW_MS;
      await expect(keys.rotate(key.id)).rejects.toBeInstanceOf(ConflictError);
    });

    test('an expired key cannot be rotated', async () => {
      const { key } = await keys.create({ name: 'expiring', expiresMs: NOW_MS + 10 });
      nowMs = NOW_MS + 10;
      await expect(keys.rotate(key.id)).rejects.toThrow(/has expired and stays so; create a new one/);
      nowMs = NOW_MS;
    });

    test('what is changed of a key is checked, and the rest stays', async () => {
      const { key } = await keys.create({ name: 'changing', expiresMs: NOW_MS + 10_000 });
      const changed = await keys.update(key.id, { scopes: ['adsb'], ratePerMinute: 7 });
      expect(changed).toEqual({ ...key, scopes: ['adsb'], ratePerMinute: 7 });
      expect((await keys.update(key.id, { expiresMs: null, name: 'changed' })).expiresMs).toBeNull();
      expect((await keys.find(key.id))?.key).toMatchObject({ name: 'changed', ratePerMinute: 7 });
      await expect(keys.update(key.id, { ratePerMinute: 0 })).rejects.toBeInstanceOf(UsageError);
      await expect(keys.update(key.id, { scopes: [] })).rejects.toThrow(/at least one scope/);
      await keys.revoke(key.id);
      await expect(keys.update(key.id, { ratePerMinute: 9 })).rejects.toBeInstanceOf(ConflictError);
      await expect(keys.update('nothere1', { ratePerMinute: 9 })).rejects.toBeInstanceOf(NotFoundError);
    });

    test('a key that does not exist is named', async () => {
      await expect(keys.rotate('nothere1')).rejects.toBeInstanceOf(NotFoundError);
      await expect(keys.revoke('nothere1')).rejects.toThrow('there is no key nothere1');
      expect(await keys.find('nothere1')).toBeUndefined();
    });

    test('the list is in the order of creation, with the last day of use and without hashes', async () => {
      nowMs = NOW_MS + 5_000;
      const later = await keys.create({ name: 'later' });
      nowMs = NOW_MS + 4_000;
      const earlier = await keys.create({ name: 'earlier' });
      for (const day of ['2026-01-02', '2026-01-03']) {
        await database.execute('INSERT INTO usage VALUES ($1, $2, $3, 1, 1, 1)', [later.key.id, day, '/x']);
      }
      const listed = await keys.list();
      expect(listed.slice(-2)).toEqual([
        { ...earlier.key, lastUsedDay: null },
        { ...later.key, lastUsedDay: '2026-01-03' },
      ]);
    });
  });
}
