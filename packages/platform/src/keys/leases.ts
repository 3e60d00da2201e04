import type { Database, Queryable } from '../database/database.ts';
import { type Bucket, fullBucket, refill, requestsIn, take } from './bucket.ts';

/** How much a key may do, in total over all servers. */
export interface KeyLimits {
  readonly ratePerMinute: number;
  readonly concurrency: number;
}

/** What a server has of one key's stock, and for how many callers it asks. */
interface Exchange {
  readonly callers: number;
  readonly tokensBack: number;
  /** What stays with the server after giving back. */
  readonly tokensKept: number;
  readonly slotsKept: number;
  readonly slotsInUse: number;
}

interface Holding {
  readonly tokens: number;
  readonly slots: number;
  /** What is left in the common bucket. */
  readonly bucket: Bucket;
}

export interface Leases {
  /** Returns what the server has then. */
  exchange(keyId: string, limits: KeyLimits, exchange: Exchange, nowMs: number): Promise<Holding>;
}

/** A server that did not renew its slots for so long is taken for dead. */
export const LEASE_MS = 12_000;

/**
 * The common stock of tokens and slots in the database. `owner` names this server process. A server takes a
 * little more than it needs, so a busy key rarely has to ask, but only while there is plenty: the last
 * tokens and slots go out one by one.
 */
export function createLeases(database: Database, owner: string): Leases {
  return {
    exchange: (keyId, limits, exchange, nowMs) =>
      database.transaction(
        async (tx) => {
          const stock = refill(await lockBucket(tx, keyId, limits, nowMs), limits.ratePerMinute, nowMs);
          const { tokens, bucket } = exchangeTokens(stock, limits, exchange);
          await storeBucket(tx, keyId, bucket);
          const leases = await readLeases(tx, keyId);
          const slots = exchangeSlots(leases, owner, limits, exchange, nowMs);
          await storeSlots(tx, keyId, owner, slots, nowMs + LEASE_MS);
          for (const lease of leases.filter(({ expires_ms }) => expires_ms <= nowMs)) {
            if (lease.owner !== owner) await storeSlots(tx, keyId, lease.owner, 0, 0);
          }
          return { tokens, slots, bucket };
        },
        { durable: false },
      ),
  };
}

/** Removes the slots of servers that are gone, of keys that are not used any more. */
export function forgetExpiredLeases(database: Database, nowMs: number): Promise<number> {
  return database.execute('DELETE FROM slot_leases WHERE expires_ms <= $1', [nowMs]);
}

function exchangeTokens(stock: Bucket, limits: KeyLimits, exchange: Exchange) {
  const { ratePerMinute } = limits;
  const whole = refill(take(stock, -exchange.tokensBack), ratePerMinute, stock.updatedMs);
  const needed = exchange.callers - exchange.tokensKept;
  const taken = share(requestsIn(whole), needed, Math.floor(ratePerMinute / 60));
  return { tokens: exchange.tokensKept + taken, bucket: take(whole, taken) };
}

function exchangeSlots(
  leases: readonly LeaseRow[],
  owner: string,
  limits: KeyLimits,
  exchange: Exchange,
  nowMs: number,
): number {
  // A lease that another server has cleared away may be its own by now: only what is in use can stay.
  const isStillOwned = leases.some((lease) => lease.owner === owner);
  const kept = isStillOwned ? exchange.slotsKept : exchange.slotsInUse;
  const others = leases
    .filter((lease) => lease.owner !== owner && lease.expires_ms > nowMs)
    .reduce((sum, lease) => sum + lease.slots, 0);
  const needed = exchange.callers - (kept - exchange.slotsInUse);
  return kept + share(limits.concurrency - others - kept, needed, Math.floor(limits.concurrency / 16));
}

/** What is needed, as far as available, plus a spare part of the remainder. */
function share(available: number, needed: number, spare: number): number {
  if (needed <= 0 || available <= 0) return 0;
  if (available <= needed) return available;
  return needed + Math.min(spare, Math.floor((available - needed) / 8));
}

/** All transactions on this key wait here for the one before. */
async function lockBucket(tx: Queryable, keyId: string, limits: KeyLimits, nowMs: number): Promise<Bucket> {
  const read = async (): Promise<Bucket | undefined> => {
    const [row] = await tx.query<{ credit: number; updated_ms: number }>(
      'SELECT credit, updated_ms FROM rate_buckets WHERE key_id = $1 FOR UPDATE',
      [keyId],
    );
    return row && { credit: row.credit, updatedMs: row.updated_ms };
  };
  const found = await read();
  if (found !== undefined) return found;
  const full = fullBucket(limits.ratePerMinute, nowMs);
  await tx.execute(
    'INSERT INTO rate_buckets (key_id, credit, updated_ms) VALUES ($1, $2, $3) ON CONFLICT (key_id) DO NOTHING',
    [keyId, full.credit, full.updatedMs],
  );
  return (await read()) ?? full;
}

async function storeBucket(tx: Queryable, keyId: string, bucket: Bucket): Promise<void> {
  await tx.execute('UPDATE rate_buckets SET credit = $2, updated_ms = $3 WHERE key_id = $1', [
    keyId,
    bucket.credit,
    bucket.updatedMs,
  ]);
}

interface LeaseRow {
  readonly owner: string;
  readonly slots: number;
  readonly expires_ms: number;
}

function readLeases(tx: Queryable, keyId: string): Promise<LeaseRow[]> {
  return tx.query<LeaseRow>('SELECT owner, slots, expires_ms FROM slot_leases WHERE key_id = $1', [keyId]);
}

async function storeSlots(
  tx: Queryable,
  keyId: string,
  owner: string,
  slots: number,
  expiresMs: number,
): Promise<void> {
  if (slots === 0) {
    await tx.execute('DELETE FROM slot_leases WHERE key_id = $1 AND owner = $2', [keyId, owner]);
    return;
  }
  await tx.execute(
    `INSERT INTO slot_leases (key_id, owner, slots, expires_ms) VALUES ($1, $2, $3, $4)
     ON CONFLICT (key_id, owner) DO UPDATE SET slots = excluded.slots, expires_ms = excluded.expires_ms`,
    [keyId, owner, slots, expiresMs],
  );
}
