/** Removes products that have served their time, and files that never became products. */
import { createCatalogue } from '../database/catalogue.ts';
import type { Database } from '../database/database.ts';
import { LOST_FAMILY, PRODUCT_FAMILY } from './manifest.ts';
import type { ProductShelf } from './publish.ts';

const DAY_MS = 86_400_000;
/** A file without an entry in the catalogue may still be on its way there; after so long nobody will bring it. */
const ORPHAN_MS = DAY_MS;

export interface KeepPolicy {
  /** How many of the newest runs are kept whole. */
  readonly runs: number;
  /** How long products stay after the time they are for. */
  readonly days: number;
}

interface Entry {
  readonly key: string;
  readonly kind: string;
  readonly time: number;
  readonly run: number | null;
  readonly levels: string;
  readonly created: number;
}

/** Answers how many files are gone. What cannot be removed now is an orphan next time. */
export async function pruneProducts(
  shelf: ProductShelf,
  policy: KeepPolicy,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  await forgetLost(shelf.database, nowMs - policy.days * DAY_MS);
  const entries = await allEntries(shelf.database);
  const outdated = outdatedEntries(entries, policy, nowMs);
  const catalogue = createCatalogue(shelf.database);
  for (const key of outdated) {
    signal.throwIfAborted();
    // Nobody shall find what is no longer there.
    await catalogue.remove(key);
    await shelf.store.remove(key);
  }
  const orphans = await removeOrphans(shelf, new Set(entries.map(({ key }) => key)), nowMs, signal);
  return outdated.length + orphans;
}

/** Lost products that nobody misses: their time is past, or another run has the same. */
async function forgetLost(database: Database, beforeMs: number): Promise<void> {
  await database.execute(
    `DELETE FROM products WHERE family = $1 AND (valid_time_ms < $3 OR EXISTS (
       SELECT 1 FROM products p WHERE p.family = $2 AND p.kind = products.kind
         AND p.valid_time_ms = products.valid_time_ms AND p.attributes = products.attributes))`,
    [LOST_FAMILY, PRODUCT_FAMILY, beforeMs],
  );
}

/** Keys of products that are past, of which a newer run has the same, or which were made again. */
export function outdatedEntries(
  entries: readonly Entry[],
  { runs, days }: KeepPolicy,
  nowMs: number,
): string[] {
  const known = [...new Set(entries.map(({ run }) => run ?? 0))].sort((a, b) => b - a);
  const oldestKept = known[runs - 1] ?? Number.NEGATIVE_INFINITY;
  const best = new Map<string, Entry>();
  for (const entry of entries) {
    const rival = best.get(productOf(entry));
    if (rival === undefined || isBetter(entry, rival)) best.set(productOf(entry), entry);
  }
  return entries
    .filter((entry) => {
      if (entry.time < nowMs - days * DAY_MS) return true;
      const winner = best.get(productOf(entry));
      if (winner === undefined || winner === entry) return false;
      return winner.run === entry.run || (entry.run ?? 0) < oldestKept;
    })
    .map(({ key }) => key);
}

function productOf({ kind, time, levels }: Entry): string {
  return `${kind}/${time}/${levels}`;
}

function isBetter(one: Entry, other: Entry): boolean {
  return one.run === other.run ? one.created > other.created : (one.run ?? 0) > (other.run ?? 0);
}

async function allEntries(database: Database): Promise<Entry[]> {
  const rows = await database.query<Omit<Entry, 'levels'> & { attributes: string }>(
    `SELECT key, kind, valid_time_ms AS time, reference_time_ms AS run, attributes, created_ms AS created
     FROM products WHERE family = $1`,
    [PRODUCT_FAMILY],
  );
  return rows.map(({ attributes, ...entry }) => ({
    ...entry,
    levels: String(JSON.parse(attributes).levels),
  }));
}

async function removeOrphans(
  { store }: ProductShelf,
  known: ReadonlySet<string>,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for await (const { key, modifiedMs } of store.list(`${PRODUCT_FAMILY}/`)) {
    signal.throwIfAborted();
    if (known.has(key) || modifiedMs > nowMs - ORPHAN_MS) continue;
    if (await store.remove(key)) removed += 1;
  }
  return removed;
}
