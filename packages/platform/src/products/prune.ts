/** Removes products that have served their time, and files that never became products. */

import { DAY_MS } from '@contrails/runtime';
import { createCatalogue } from '../database/catalogue.ts';
import type { Database } from '../database/database.ts';
import type { Store } from '../store/store.ts';
import { lostGroup, type ProductKind } from './kinds.ts';
import type { ProductStore } from './publish.ts';

/** A file without an entry in the catalogue may still get one; after this time it is an orphan. */
const ORPHAN_MS = DAY_MS;

export interface KeepPolicy {
  /** How many of the newest runs are kept whole. */
  readonly runs: number;
  /** How long planned products stay after the time they are for, and requested ones after they were computed. */
  readonly days: number;
}

interface Entry {
  readonly key: string;
  readonly kind: string;
  readonly time: number;
  readonly run: number | null;
  /** Levels or other parts of a grid that the file has, joined by commas. */
  readonly levels: string;
  readonly edition?: string;
  readonly created: number;
}

/** Prunes products of some kinds; returns how many files are gone. What cannot be removed now is an orphan next time. */
export async function pruneProducts(
  productStore: ProductStore,
  kinds: readonly ProductKind[],
  policy: KeepPolicy,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const kind of kinds) removed += await pruneKind(productStore, kind, policy, nowMs, signal);
  return removed;
}

async function pruneKind(
  { database, store }: ProductStore,
  { family, origin }: ProductKind,
  policy: KeepPolicy,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  const beforeMs = nowMs - policy.days * DAY_MS;
  if (origin === 'planned') await forgetLost(database, family, beforeMs);
  const entries = await allEntries(database, family);
  const outdated =
    origin === 'planned'
      ? outdatedEntries(entries, policy, nowMs)
      : entries.filter(({ created }) => created < beforeMs).map(({ key }) => key);
  const catalogue = createCatalogue(database);
  for (const key of outdated) {
    signal.throwIfAborted();
    // Unlist before deleting.
    await catalogue.remove(key);
    await store.remove(key);
  }
  const known = new Set(entries.map(({ key }) => key));
  return outdated.length + (await removeOrphans(store, family, known, nowMs, signal));
}

/**
 * Lost forecasts whose time is past, or that were published again since. The reanalysis is kept whatever its age: its files
 * may come back.
 */
async function forgetLost(database: Database, family: string, beforeMs: number): Promise<void> {
  await database.execute(
    `DELETE FROM products WHERE family = $1 AND reference_time_ms IS NOT NULL AND (valid_time_ms < $3 OR EXISTS (
       SELECT 1 FROM products p WHERE p.family = $2 AND p.kind = products.kind
         AND p.valid_time_ms = products.valid_time_ms AND p.reference_time_ms >= products.reference_time_ms
         AND p.created_ms > products.created_ms))`,
    [lostGroup(family), family, beforeMs],
  );
}

/**
 * Keys of forecasts that are past, and of editions that a better one replaces: one of the same run that was made later, or one of
 * a newer run where its own is not kept. Only an edition that has all the levels of another replaces it, because a response is
 * made of one. The reanalysis has no run and is kept whatever its age.
 */
export function outdatedEntries(
  entries: readonly Entry[],
  { runs, days }: KeepPolicy,
  nowMs: number,
): string[] {
  const known = [...new Set(entries.flatMap(({ run }) => run ?? []))].sort((a, b) => b - a);
  const oldestKept = known[runs - 1] ?? Number.NEGATIVE_INFINITY;
  const products = Map.groupBy(entries, ({ kind, time }) => `${kind}/${time}`);
  return [...products.values()].flatMap((product) => {
    const editions = editionsOf(product);
    return editions
      .filter(
        (one) =>
          (one.run !== null && one.time < nowMs - days * DAY_MS) ||
          editions.some((other) => replaces(other, one, oldestKept)),
      )
      .flatMap(({ keys }) => keys);
  });
}

interface Edition extends Pick<Entry, 'time' | 'run' | 'created'> {
  readonly keys: readonly string[];
  readonly levels: ReadonlySet<string>;
}

function editionsOf(product: readonly Entry[]): Edition[] {
  const groups = Map.groupBy(product, ({ run, edition }) => `${run}/${edition}`);
  return Array.from(groups.values(), (members) => {
    const [{ time, run }] = members as [Entry];
    return {
      time,
      run,
      keys: members.map(({ key }) => key),
      levels: new Set(members.flatMap(({ levels }) => levels.split(','))),
      created: Math.max(...members.map(({ created }) => created)),
    };
  });
}

function replaces(one: Edition, other: Edition, oldestKept: number): boolean {
  if (one === other || !other.levels.isSubsetOf(one.levels)) return false;
  if (one.run === other.run) return one.created > other.created;
  return one.run !== null && other.run !== null && one.run > other.run && other.run < oldestKept;
}

async function allEntries(database: Database, family: string): Promise<Entry[]> {
  const rows = await database.query<Omit<Entry, 'levels'> & { attributes: string }>(
    `SELECT key, kind, valid_time_ms AS time, reference_time_ms AS run, attributes, created_ms AS created
     FROM products WHERE family = $1`,
    [family],
  );
  return rows.map(({ attributes, ...entry }) => {
    const { levels, edition } = JSON.parse(attributes);
    return { ...entry, levels: String(levels), edition };
  });
}

async function removeOrphans(
  store: Store,
  family: string,
  known: ReadonlySet<string>,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for await (const { key, modifiedMs } of store.list(`${family}/`)) {
    signal.throwIfAborted();
    if (known.has(key) || modifiedMs > nowMs - ORPHAN_MS) continue;
    if (await store.remove(key)) removed += 1;
  }
  return removed;
}
