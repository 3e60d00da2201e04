import { ConflictError, NotFoundError } from '@contrails/runtime/errors';
import type { Queryable } from '../database/database.ts';
import { formatKey, generateKey, hashSecret, type ParsedKey } from './format.ts';
import { checkNewKey, type KeyChange, type NewKey } from './new-key.ts';
import type { Scopes } from './scopes.ts';

/** What is known of a key; nothing in it lets anyone use the key. */
export interface Key {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresMs: number | null;
  readonly ratePerMinute: number;
  readonly concurrency: number;
  readonly createdMs: number;
  readonly revokedMs: number | null;
}

export interface ListedKey extends Key {
  /** UTC day (`2026-01-31`) of the last request that was counted. */
  readonly lastUsedDay: string | null;
}

/** A key at the only moment its secret is known. */
export interface IssuedKey {
  readonly key: Key;
  /** What the user sends: `ctr_<id>_<secret>`. */
  readonly text: string;
}

export interface Keys {
  create(wanted: NewKey): Promise<IssuedKey>;
  /** Oldest first, revoked and expired ones too. */
  list(): Promise<ListedKey[]>;
  /** Gives the key a new secret; the old one stops. */
  rotate(id: string): Promise<IssuedKey>;
  /** Changes name, scopes, expiry or limits; the secret stays. */
  update(id: string, change: KeyChange): Promise<Key>;
  /** Stops the key for good; revoking it again changes nothing. */
  revoke(id: string): Promise<Key>;
  /** The key and the hash that its secret must have. */
  find(id: string): Promise<{ key: Key; secretSha256: Uint8Array } | undefined>;
}

/** A key of these parts, which is not stored anywhere. */
export function issueKey(parts: ParsedKey, wanted: NewKey, createdMs: number): IssuedKey {
  const key = { id: parts.id, ...checkNewKey(wanted, createdMs), createdMs, revokedMs: null };
  return { key, text: formatKey(parts) };
}

/** A key that is made without scopes gets the ordinary ones. */
export function createKeys(
  database: Queryable,
  known: Pick<Scopes, 'all' | 'ordinary'>,
  now: () => number = Date.now,
): Keys {
  const toKey = (row: Row) => keyOf(row, known.all);
  const find = async (id: string): Promise<Row | undefined> =>
    (await database.query<Row>(`SELECT ${COLUMNS} FROM keys WHERE id = $1`, [id]))[0];
  const existing = async (id: string): Promise<Key> => {
    const row = await find(id);
    if (row === undefined) {
      throw new NotFoundError(`there is no key ${id}; see the list of keys`, { facts: { id } });
    }
    return toKey(row);
  };

  return {
    async create(wanted) {
      const generated = generateKey();
      const { key, text } = issueKey(
        generated,
        { ...wanted, scopes: wanted.scopes ?? known.ordinary },
        now(),
      );
      await database.execute(`INSERT INTO keys (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL)`, [
        key.id,
        hashSecret(generated.secret).toString('hex'),
        key.name,
        key.scopes.join(' '),
        key.expiresMs,
        key.ratePerMinute,
        key.concurrency,
        key.createdMs,
      ]);
      return { key, text };
    },
    async list() {
      const rows = await database.query<Row & { last_used_day: string | null }>(
        `SELECT ${COLUMNS}, (SELECT max(day) FROM usage WHERE key_id = id) AS last_used_day
         FROM keys ORDER BY created_ms, id`,
      );
      return rows.map((row) => ({ ...toKey(row), lastUsedDay: row.last_used_day }));
    },
    async rotate(id) {
      const key = await existing(id);
      refuseDead(key, now());
      const generated = { id, secret: generateKey().secret };
      const changed = await database.execute(
        'UPDATE keys SET secret_sha256 = $2 WHERE id = $1 AND revoked_ms IS NULL',
        [id, hashSecret(generated.secret).toString('hex')],
      );
      if (changed === 0) throw new ConflictError(`key ${id} was revoked meanwhile; create a new one`);
      return { key, text: formatKey(generated) };
    },
    async update(id, change) {
      const key = await existing(id);
      refuseDead(key, now());
      const { name, scopes, expiresMs, ratePerMinute, concurrency } = checkNewKey(
        { ...key, ...change },
        now(),
      );
      const changed = await database.execute(
        `UPDATE keys SET name = $2, scopes = $3, expires_ms = $4, rate_per_minute = $5, concurrency = $6
         WHERE id = $1 AND revoked_ms IS NULL`,
        [id, name, scopes.join(' '), expiresMs, ratePerMinute, concurrency],
      );
      if (changed === 0) throw new ConflictError(`key ${id} was revoked meanwhile; create a new one`);
      return existing(id);
    },
    async revoke(id) {
      await database.execute('UPDATE keys SET revoked_ms = $2 WHERE id = $1 AND revoked_ms IS NULL', [
        id,
        now(),
      ]);
      return existing(id);
    },
    async find(id) {
      const row = await find(id);
      return row && { key: toKey(row), secretSha256: Buffer.from(row.secret_sha256, 'hex') };
    },
  };
}

const COLUMNS =
  'id, secret_sha256, name, scopes, expires_ms, rate_per_minute, concurrency, created_ms, revoked_ms';

interface Row {
  readonly id: string;
  readonly secret_sha256: string;
  readonly name: string;
  readonly scopes: string;
  readonly expires_ms: number | null;
  readonly rate_per_minute: number;
  readonly concurrency: number;
  readonly created_ms: number;
  readonly revoked_ms: number | null;
}

function keyOf(row: Row, known: readonly string[]): Key {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes.split(' ').filter((scope) => known.includes(scope)),
    expiresMs: row.expires_ms,
    ratePerMinute: row.rate_per_minute,
    concurrency: row.concurrency,
    createdMs: row.created_ms,
    revokedMs: row.revoked_ms,
  };
}

function refuseDead(key: Key, nowMs: number): void {
  const state =
    key.revokedMs !== null
      ? 'is revoked'
      : key.expiresMs !== null && key.expiresMs <= nowMs
        ? 'has expired'
        : null;
  if (state === null) return;
  throw new ConflictError(`key ${key.id} (${key.name}) ${state} and stays so; create a new one`, {
    facts: { id: key.id },
  });
}
