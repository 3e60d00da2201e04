/** Products of the catalogue whose file is missing or has other bytes. They are set aside, not forgotten: a file may come back. */
import type { Product } from '../database/catalogue.ts';
import type { Database, Queryable } from '../database/database.ts';
import type { Store } from '../store/index.ts';
import { lostGroup, type ProductKind } from './kinds.ts';
import type { ProductStore } from './publish.ts';

export interface LostProduct
  extends Pick<Product, 'key' | 'sha256' | 'referenceTimeMs' | 'validTimeMs' | 'createdMs' | 'manifest'> {
  readonly reason: 'missing' | 'damaged';
}

export interface ProductAudit {
  /** Products that were compared with the store. */
  readonly checked: number;
  readonly lost: readonly LostProduct[];
  /** Keys of products that were set aside and whose file is whole. */
  readonly recovered: readonly { readonly key: string; readonly sha256: string }[];
}

interface Row {
  readonly key: string;
  readonly family: string;
  readonly sha256: string;
  readonly size: number;
  readonly reference_time_ms: number | null;
  readonly valid_time_ms: number | null;
  readonly created_ms: number;
  readonly manifest: string;
}

const PAGE = 500;
const CONCURRENCY = 16;

/** Compares every product of some kinds in the catalogue with the store; changes nothing. */
export async function auditProducts(
  { store, database }: { readonly store: Pick<Store, 'list' | 'head'>; readonly database: Queryable },
  kinds: readonly ProductKind[],
  signal?: AbortSignal,
): Promise<ProductAudit> {
  const setAsideFamilies = new Set(lostFamilies(kinds));
  const families = [...kinds.map(({ family }) => family), ...setAsideFamilies];
  const placeholders = families.map((_, k) => `$${k + 3}`).join(', ');
  const sizes = new Map<string, number>();
  for (const { family } of kinds) {
    for await (const { key, size } of store.list(`${family}/`)) {
      signal?.throwIfAborted();
      sizes.set(key, size);
    }
  }
  let checked = 0;
  const lost: LostProduct[] = [];
  const recovered: { key: string; sha256: string }[] = [];
  for (let after = ''; ; ) {
    signal?.throwIfAborted();
    const rows = await database.query<Row>(
      `SELECT key, family, sha256, size, reference_time_ms, valid_time_ms, created_ms, manifest FROM products
       WHERE key > $1 AND family IN (${placeholders}) ORDER BY key LIMIT $2`,
      [after, PAGE, ...families],
    );
    for (let at = 0; at < rows.length; at += CONCURRENCY) {
      const some = rows.slice(at, at + CONCURRENCY);
      const reasons = await Promise.all(some.map((row) => reasonOf(store, row, sizes.get(row.key))));
      some.forEach((row, k) => {
        const reason = reasons[k];
        if (reason !== undefined) lost.push(lostProduct(row, reason));
        else if (setAsideFamilies.has(row.family)) recovered.push(row);
      });
    }
    checked += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return { checked, lost, recovered };
    after = last.key;
  }
}

async function reasonOf(
  store: Pick<Store, 'head'>,
  { key, sha256, size }: Row,
  listedSize: number | undefined,
): Promise<LostProduct['reason'] | undefined> {
  if (listedSize !== undefined && listedSize !== size) return 'damaged';
  // A file that was published after the listing is not in it.
  const info = await store.head(key);
  if (info === undefined) return 'missing';
  return info.sha256 === sha256 ? undefined : 'damaged';
}

function lostProduct(row: Row, reason: LostProduct['reason']): LostProduct {
  return {
    key: row.key,
    sha256: row.sha256,
    referenceTimeMs: row.reference_time_ms,
    validTimeMs: row.valid_time_ms,
    createdMs: row.created_ms,
    manifest: JSON.parse(row.manifest),
    reason,
  };
}

/** Sets lost products aside, or forgets them, so requests no longer find them; returns how many were found before. */
export async function setAside(
  database: Database,
  kinds: readonly ProductKind[],
  lost: readonly Pick<LostProduct, 'key' | 'sha256'>[],
): Promise<number> {
  let found = 0;
  for (const { family, origin } of kinds) {
    found +=
      origin === 'planned'
        ? await moveProducts(database, lost, family, lostGroup(family))
        : await forgetProducts(database, lost, family);
  }
  return found;
}

/** Sets lost products aside and restores those whose file is whole again; returns the lost ones. */
export async function settleProducts(
  productStore: ProductStore,
  kinds: readonly ProductKind[],
  signal: AbortSignal,
): Promise<readonly LostProduct[]> {
  const { database } = productStore;
  const { lost, recovered } = await auditProducts(productStore, kinds, signal);
  for (const { family } of kinds) await moveProducts(database, recovered, lostGroup(family), family);
  await setAside(database, kinds, lost);
  return lost;
}

/** How many products of some kinds are set aside. */
export async function countLost(database: Queryable, kinds: readonly ProductKind[]): Promise<number> {
  let count = 0;
  for (const family of lostFamilies(kinds)) {
    const [row] = await database.query<{ count: number }>(
      'SELECT count(*) AS count FROM products WHERE family = $1',
      [family],
    );
    count += row?.count ?? 0;
  }
  return count;
}

/** Whether every one of these products can be found. */
export async function areStored(database: Queryable, keys: readonly string[]): Promise<boolean> {
  const placeholders = keys.map((_, k) => `$${k + 2}`).join(', ');
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*) AS count FROM products WHERE family NOT LIKE $1 AND key IN (${placeholders})`,
    [lostGroup('%'), ...keys],
  );
  return row?.count === keys.length;
}

function lostFamilies(kinds: readonly ProductKind[]): string[] {
  return kinds.flatMap(({ family, origin }) => (origin === 'planned' ? lostGroup(family) : []));
}

async function forgetProducts(
  database: Database,
  products: readonly Pick<LostProduct, 'key' | 'sha256'>[],
  family: string,
): Promise<number> {
  let forgotten = 0;
  for (const { key, sha256 } of products) {
    const sql = 'DELETE FROM products WHERE key = $1 AND sha256 = $2 AND family = $3';
    forgotten += await database.execute(sql, [key, sha256, family]);
  }
  return forgotten;
}

/** Only what still has this checksum: a product may have been published again meanwhile. */
async function moveProducts(
  database: Database,
  products: readonly Pick<LostProduct, 'key' | 'sha256'>[],
  from: string,
  to: string,
): Promise<number> {
  if (products.length === 0) return 0;
  return database.transaction(async (tx) => {
    let moved = 0;
    for (const { key, sha256 } of products) {
      moved += await tx.execute(
        'UPDATE products SET family = $4 WHERE key = $1 AND sha256 = $2 AND family = $3',
        [key, sha256, from, to],
      );
    }
    return moved;
  });
}
