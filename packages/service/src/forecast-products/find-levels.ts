import { createCatalogue } from '@contrails/platform/database/catalogue';
import type { Queryable } from '@contrails/platform/database/database';
import { PRODUCT_GROUP, type ProductGroup, type StoredProduct, storedProduct } from './manifest.ts';

export interface LevelQuery {
  /** Grids of the globe without. */
  readonly family?: ProductGroup;
  readonly kind: string;
  readonly validTimeMs: number;
  readonly flightLevels: readonly number[];
  /** A run that is wanted; the newest that has all levels without. */
  readonly referenceTimeMs?: number | undefined;
  /** Only forecasts; otherwise the reanalysis goes before them. */
  readonly forecastsOnly?: boolean;
  /** The edition that is wanted; any without. */
  readonly edition?: string;
}

/** A flight level and the file it is in. */
export interface FoundLevel {
  readonly flightLevel: number;
  readonly product: StoredProduct;
  /** ChunkRange of the level among those of the file. */
  readonly index: number;
}

/**
 * The levels, all of one run and one edition, so a response has one weather and one model: of the reanalysis, or
 * else the newest run that has every one of them, the edition published last. Undefined when none has them all.
 */
export async function findLevels(
  database: Queryable,
  {
    family = PRODUCT_GROUP,
    kind,
    validTimeMs,
    flightLevels,
    referenceTimeMs,
    forecastsOnly,
    edition,
  }: LevelQuery,
): Promise<FoundLevel[] | undefined> {
  const found = await createCatalogue(database).find({
    family,
    kind,
    fromMs: validTimeMs,
    toMs: validTimeMs,
    ...(referenceTimeMs === undefined ? {} : { referenceTimeMs }),
  });
  const products = found
    .map(storedProduct)
    .filter(({ manifest }) => edition === undefined || manifest.model.settings === edition);
  const byRun = Map.groupBy(products, (product) => product.referenceTimeMs);
  const reanalysis = byRun.get(null) ?? [];
  byRun.delete(null);
  for (const run of forecastsOnly ? byRun.values() : [reanalysis, ...byRun.values()]) {
    const latestFirst = run.sort((a, b) => b.createdMs - a.createdMs);
    for (const one of Map.groupBy(latestFirst, editionOfProduct).values()) {
      const levels = levelsOf(one, flightLevels);
      if (levels !== undefined) return levels;
    }
  }
  return undefined;
}

/** Products of releases whose settings did not include the source are distinguished by it. */
function editionOfProduct({ manifest: { model, weather } }: StoredProduct): string {
  return `${weather.source}/${model.version}/${model.settings}`;
}

function levelsOf(
  products: readonly StoredProduct[],
  flightLevels: readonly number[],
): FoundLevel[] | undefined {
  const levels = flightLevels.flatMap((flightLevel): FoundLevel[] => {
    const product = products.find(({ manifest }) => manifest.flight_levels.includes(flightLevel));
    return product === undefined
      ? []
      : [{ flightLevel, product, index: product.manifest.flight_levels.indexOf(flightLevel) }];
  });
  return levels.length === flightLevels.length ? levels : undefined;
}
