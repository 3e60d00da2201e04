import { DAY_MS, isoDate } from '@contrails/runtime';
import type { Database, Queryable, SqlValue } from '../database/database.ts';

/** What one request, or many together, cost. */
export interface Cost {
  readonly requests: number;
  readonly bytes: number;
  readonly computeSeconds: number;
}

export interface UsageRow extends Cost {
  readonly keyId: string;
  /** UTC day, `2026-01-31`. */
  readonly day: string;
  /** Method-less route pattern, such as `/v0/grid/:model`. */
  readonly endpoint: string;
}

export interface StoredUsage extends UsageRow {
  /** Name of the key; null once the key is gone. */
  readonly keyName: string | null;
}

export interface UsageQuery {
  readonly keyId?: string;
  /** First and last day, both inclusive. */
  readonly fromDay?: string;
  readonly toDay?: string;
}

export interface UsageRecorder {
  /** Counts one answered request; costs no query. */
  record(request: { keyId: string; endpoint: string; bytes: number; computeSeconds: number }): void;
  /** Writes what was counted; rejects, and keeps it for the next time, when the database is away. */
  flush(): Promise<void>;
  /** Writes the rest and stops. */
  close(): Promise<void>;
}

export interface UsageOptions {
  readonly now?: () => number;
  readonly flushEveryMs?: number;
  /** Rows kept in memory; beyond this a key's other endpoints are counted together. */
  readonly capacity?: number;
  /** Called when a periodic flush fails. */
  readonly onError?: (error: unknown) => void;
}

const OTHER_ENDPOINTS = '(other)';

export function createUsageRecorder(database: Database, options: UsageOptions = {}): UsageRecorder {
  const now = options.now ?? Date.now;
  const capacity = options.capacity ?? 20_000;
  let counted = new Map<string, UsageRow>();
  let flushing: Promise<void> = Promise.resolve();

  const add = (row: UsageRow): void => {
    const name = `${row.keyId} ${row.day} ${row.endpoint}`;
    const before = counted.get(name);
    if (before === undefined && counted.size >= capacity && row.endpoint !== OTHER_ENDPOINTS) {
      add({ ...row, endpoint: OTHER_ENDPOINTS });
    } else {
      counted.set(name, before === undefined ? row : sum(before, row));
    }
  };
  const write = async (): Promise<void> => {
    if (counted.size === 0) return;
    const rows = [...counted.values()].sort(byKey);
    counted = new Map();
    try {
      await store(database, rows);
    } catch (error) {
      for (const row of rows) add(row);
      throw error;
    }
  };
  const flush = (): Promise<void> => {
    const next = flushing.then(write);
    flushing = next.catch(() => undefined);
    return next;
  };
  const timer = setInterval(
    () => flush().catch((error: unknown) => options.onError?.(error)),
    options.flushEveryMs ?? 5_000,
  ).unref();

  return {
    record({ keyId, endpoint, bytes, computeSeconds }) {
      add({ keyId, endpoint, day: utcDay(now()), requests: 1, bytes, computeSeconds });
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** What is stored, by key, day and endpoint; the last seconds of running servers are not in it yet. */
export async function readUsage(database: Queryable, query: UsageQuery = {}): Promise<StoredUsage[]> {
  const values: SqlValue[] = [];
  const terms: string[] = ['1 = 1'];
  if (query.keyId !== undefined) terms.push(`key_id = $${values.push(query.keyId)}`);
  if (query.fromDay !== undefined) terms.push(`day >= $${values.push(query.fromDay)}`);
  if (query.toDay !== undefined) terms.push(`day <= $${values.push(query.toDay)}`);
  const rows = await database.query<StoredRow>(
    `SELECT key_id, name, day, endpoint, requests, bytes, compute_seconds
     FROM usage LEFT JOIN keys ON keys.id = usage.key_id
     WHERE ${terms.join(' AND ')} ORDER BY key_id, day, endpoint`,
    values,
  );
  return rows.map((row) => ({
    keyId: row.key_id,
    keyName: row.name,
    day: row.day,
    endpoint: row.endpoint,
    requests: row.requests,
    bytes: row.bytes,
    computeSeconds: row.compute_seconds,
  }));
}

interface StoredRow {
  readonly key_id: string;
  readonly name: string | null;
  readonly day: string;
  readonly endpoint: string;
  readonly requests: number;
  readonly bytes: number;
  readonly compute_seconds: number;
}

async function store(database: Database, rows: readonly UsageRow[]): Promise<void> {
  await database.transaction(
    async (tx) => {
      for (const row of rows) {
        await tx.execute(
          `INSERT INTO usage (key_id, day, endpoint, requests, bytes, compute_seconds)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (key_id, day, endpoint) DO UPDATE SET requests = usage.requests + excluded.requests,
           bytes = usage.bytes + excluded.bytes, compute_seconds = usage.compute_seconds + excluded.compute_seconds`,
          [row.keyId, row.day, row.endpoint, row.requests, row.bytes, row.computeSeconds],
        );
      }
    },
    { durable: false },
  );
}

/** Servers that write the same rows at once lock them in the same order, so none waits for the other. */
function byKey(a: UsageRow, b: UsageRow): number {
  return compare(a.keyId, b.keyId) || compare(a.day, b.day) || compare(a.endpoint, b.endpoint);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sum(a: UsageRow, b: UsageRow): UsageRow {
  return {
    ...a,
    requests: a.requests + b.requests,
    bytes: a.bytes + b.bytes,
    computeSeconds: a.computeSeconds + b.computeSeconds,
  };
}

/** Asked for every request, and the same all day. */
function utcDay(timeMs: number): string {
  const number = Math.floor(timeMs / DAY_MS);
  if (number !== lastDay.number) {
    lastDay = { number, text: isoDate(timeMs) };
  }
  return lastDay.text;
}

let lastDay = { number: Number.NaN, text: '' };
