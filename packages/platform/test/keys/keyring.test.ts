import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import type { Database } from '../../src/database/index.ts';
import { createKeyring, createKeys, type Keyring, type Keys } from '../../src/keys/index.ts';
import { testScopes } from '../support/api.ts';
import { openDatabase } from '../support/database.ts';

let database: Database;
let keys: Keys;
let keyring: Keyring;
let nowMs = 0;
let queries: string[] = [];
let databaseIsAway = false;

/** The repository, with a count of what is asked and a way to take the database away. */
const watched: Pick<Keys, 'find'> = {
  async find(id) {
    queries.push(id);
    if (databaseIsAway) throw new UnavailableError('away');
    return keys.find(id);
  },
};

beforeAll(async () => {
  database = await openDatabase({
    database: 'embedded',
    directory: join(await temporaryDirectory(), 'data'),
  });
  keys = createKeys(database, testScopes, () => nowMs);
});
afterAll(() => database.close());
beforeEach(() => {
  nowMs = 1_767_225_600_000;
  queries = [];
  databaseIsAway = false;
  keyring = createKeyring(watched, { now: () => nowMs });
});

const reasonOf = async (header: string | string[] | undefined) => {
  const answer = await keyring.authenticate(header);
  return answer.ok ? 'ok' : answer.reason;
};
const otherSecret = (text: string) => text.slice(0, -1) + (text.endsWith('a') ? 'b' : 'a');

describe('who calls', () => {
  test('a good key is known with what it may do', async () => {
    const { key, text } = await keys.create({ name: 'good', scopes: ['adsb'] });
    expect(await keyring.authenticate(text)).toEqual({ ok: true, key });
  });

  test('no header is missing, rubbish is malformed, and neither asks the database', async () => {
    const { text } = await keys.create({ name: 'list' });
    expect(await reasonOf(undefined)).toBe('missing');
    expect(await reasonOf('')).toBe('missing');
    expect(await reasonOf('x'.repeat(5_000_000))).toBe('malformed');
    expect(await reasonOf(`Bearer ${text}`)).toBe('malformed');
    expect(await reasonOf([text, text])).toBe('malformed');
    expect(queries).toEqual([]);
  });

  test('a wrong secret is unknown, as is a wrong id', async () => {
    const { text } = await keys.create({ name: 'secret' });
    expect(await reasonOf(otherSecret(text))).toBe('unknown');
    expect(await reasonOf(`ctr_00000000_${text.slice(13)}`)).toBe('unknown');
  });

  test('only a caller with the secret learns that a key is revoked or expired', async () => {
    const revoked = await keys.create({ name: 'revoked' });
    await keys.revoke(revoked.key.id);
    const expired = await keys.create({ name: 'expired', expiresMs: nowMs + 10 });
    nowMs += 10;
    expect(await reasonOf(revoked.text)).toBe('revoked');
    expect(await reasonOf(otherSecret(revoked.text))).toBe('unknown');
    expect(await reasonOf(expired.text)).toBe('expired');
    expect(await reasonOf(otherSecret(expired.text))).toBe('unknown');
  });

  test('a key expires at its time, also while it is remembered', async () => {
    const { text } = await keys.create({ name: 'expiring', expiresMs: nowMs + 100 });
    nowMs += 99;
    expect(await reasonOf(text)).toBe('ok');
    nowMs += 1;
    expect(await reasonOf(text)).toBe('expired');
  });
});

describe('changes', () => {
  test('a revoked key stops on every server within 5 s', async () => {
    const { key, text } = await keys.create({ name: 'soon revoked' });
    const other = createKeyring(watched, { now: () => nowMs });
    expect([(await keyring.authenticate(text)).ok, (await other.authenticate(text)).ok]).toEqual([
      true,
      true,
    ]);
    await keys.revoke(key.id);
    nowMs += 4_900;
    expect(await reasonOf(text)).toBe('revoked');
    expect(await other.authenticate(text)).toEqual({ ok: false, reason: 'revoked' });
  });

  test('a rotated secret works at once for a caller that used the old one a moment ago', async () => {
    const { key, text } = await keys.create({ name: 'rotated' });
    expect(await reasonOf(text)).toBe('ok');
    nowMs += 300;
    const rotated = await keys.rotate(key.id);
    expect(await reasonOf(rotated.text)).toBe('ok');
    expect(await reasonOf(text)).toBe('unknown');
  });

  test('a clock that was set back does not keep a revoked key alive', async () => {
    const { key, text } = await keys.create({ name: 'clock' });
    expect(await reasonOf(text)).toBe('ok');
    await keys.revoke(key.id);
    nowMs -= HOUR_MS;
    expect(await reasonOf(text)).toBe('revoked');
  });
});

describe('queries', () => {
  test('callers with one key at once share one, and the next two seconds need none', async () => {
    const { key, text } = await keys.create({ name: 'shared' });
    await Promise.all(Array.from({ length: 50 }, () => keyring.authenticate(text)));
    nowMs += 2_000;
    await keyring.authenticate(text);
    expect(queries).toEqual([key.id]);
  });

  test('a key that does not exist is remembered too', async () => {
    const { text } = await keys.create({ name: 'template' });
    const missing = `ctr_11111111_${text.slice(13)}`;
    for (let count = 0; count < 100; count += 1) await keyring.authenticate(missing);
    expect(queries).toEqual(['11111111']);
  });

  test('no more keys are remembered than there is room for', async () => {
    const small = createKeyring(watched, { now: () => nowMs, capacity: 3 });
    const { text } = await keys.create({ name: 'template' });
    const ids = ['00000001', '00000002', '00000003', '00000004'];
    for (const id of ids) await small.authenticate(`ctr_${id}_${text.slice(13)}`);
    queries = [];
    for (const id of ['00000004', '00000001']) await small.authenticate(`ctr_${id}_${text.slice(13)}`);
    expect(queries).toEqual(['00000001']);
  });
});

describe('while the database is away', () => {
  test('a key used a moment ago goes on for less than 5 s, then it is an outage', async () => {
    const { text } = await keys.create({ name: 'goes on' });
    await keyring.authenticate(text);
    databaseIsAway = true;
    nowMs += 4_500;
    expect(await reasonOf(text)).toBe('ok');
    nowMs += 1;
    await expect(keyring.authenticate(text)).rejects.toBeInstanceOf(UnavailableError);
    databaseIsAway = false;
    expect(await reasonOf(text)).toBe('ok');
  });

  test('no caller is refused on what may have changed', async () => {
    const { key, text } = await keys.create({ name: 'rotated in time' });
    expect(await reasonOf(otherSecret(text))).toBe('unknown');
    const { text: rotated } = await keys.rotate(key.id);
    databaseIsAway = true;
    nowMs += 1_000;
    await expect(keyring.authenticate(rotated)).rejects.toBeInstanceOf(UnavailableError);
  });
});
