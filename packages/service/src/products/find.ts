import { createCatalogue } from '../database/catalogue.ts';
import type { Queryable } from '../database/database.ts';
import { PRODUCT_FAMILY, type StoredProduct, storedProduct } from './manifest.ts';

export interface LevelQuery {
  readonly kind: string;
  readonly validTimeMs: number;
  readonly flightLevels: readonly number[];
  /** A run that is wanted; the newest that has all levels without. */
  readonly referenceTimeMs?: number | undefined;
}

/** A flight level and the file it is in. */
export interface FoundLevel {
  readonly flightLevel: number;
  readonly product: StoredProduct;
  /** Place of the level among those of the file. */
  readonly index: number;
}

/** The levels, all of one run: the newest that has every one of them. Undefined when no run has. */
export async function findLevels(
  database: Queryable,
  { kind, validTimeMs, flightLevels, referenceTimeMs }: LevelQuery,
): Promise<FoundLevel[] | undefined> {
  const found = await createCatalogue(database).find({
    family: PRODUCT_FAMILY,
    kind,
    fromMs: validTimeMs,
    toMs: validTimeMs,
    ...(referenceTimeMs === undefined ? {} : { referenceTimeMs }),
  });
  const products = found.map(storedProduct);
  const runs = [...new Set(products.map((product) => runOf(product)))];
  for (const run of runs) {
    const levels = levelsOf(
      products.filter((product) => runOf(product) === run),
      flightLevels,
    );
    if (levels !== undefined) return levels;
  }
  return undefined;
}

/** Whether every one of these products can be found. */
export async function areStored(database: Queryable, keys: readonly string[]): Promise<boolean> {
  const places = keys.map((_, k) => `$${k + 2}`).join(', ');
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*) AS count FROM products WHERE family = $1 AND key IN (${places})`,
    [PRODUCT_FAMILY, ...keys],
  );
  return row?.count === keys.length;
}

/** Files of one run can overlap when they were made again with other settings; then the latest counts. */
function levelsOf(
  products: readonly StoredProduct[],
  flightLevels: readonly number[],
): FoundLevel[] | undefined {
  const latestFirst = [...products].sort((a, b) => b.createdMs - a.createdMs);
  const [latest] = latestFirst;
  const alike = latestFirst.filter(
    ({ manifest }) => manifest.cells_per_degree === latest?.manifest.cells_per_degree,
  );
  const levels = flightLevels.flatMap((flightLevel): FoundLevel[] => {
    const product = alike.find(({ manifest }) => manifest.flight_levels.includes(flightLevel));
    return product === undefined
      ? []
      : [{ flightLevel, product, index: product.manifest.flight_levels.indexOf(flightLevel) }];
  });
  return levels.length === flightLevels.length ? levels : undefined;
}

function runOf({ referenceTimeMs }: StoredProduct): number | null {
  return referenceTimeMs;
}
