/**
 * Precomputed grids as stored: ordinary netCDF and GeoJSON files of some flight levels, and for each, in the
 * catalogue, the byte range of every level. A level is served by copying them; nothing is decoded.
 */
import type { AttributeValue } from '@contrails/formats';
import type { Product } from '@contrails/platform/database/catalogue';
import type { ProductKind } from '@contrails/platform/products/kinds';
import type { ChunkRange } from '@contrails/platform/products/read';

/** Families of gridded products in the catalogue: grids of the globe, and boxes. */
export const PRODUCT_GROUP = 'forecast';
export const BOX_GROUP = 'boxes';
export type ProductGroup = typeof PRODUCT_GROUP | typeof BOX_GROUP;

export const GRID_PRODUCTS: readonly ProductKind[] = [
  { family: PRODUCT_GROUP, origin: 'planned' },
  { family: BOX_GROUP, origin: 'requested' },
];

export interface StoredVariable {
  readonly name: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** The packed chunk of each flight level. */
  readonly chunks: readonly ChunkRange[];
}

/** What is known of a product besides its key, times and checksum. */
export interface ProductManifest {
  readonly cells_per_degree: number;
  readonly flight_levels: readonly number[];
  /** Of a netCDF file. */
  readonly variables?: readonly StoredVariable[];
  /** Of the data set or of every feature. */
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Of a GeoJSON file: the features of each flight level, one for each threshold. */
  readonly features?: readonly (readonly ChunkRange[])[];
  /** For each flight level the cells that have no weather, where there are any: they are 0. */
  readonly cells_without_weather?: readonly number[];
  /** The same of cells whose contrails live through steps without forcing. */
  readonly cells_without_forcing?: readonly number[];
  /** Where the weather came from. */
  readonly weather: Readonly<Record<string, string>>;
  /** `settings` is the edition of the product. */
  readonly model: {
    readonly version: string;
    readonly settings: string;
    /** The GPU that computed it; the CPU where there is none. */
    readonly device?: string;
  };
}

/** A product of the catalogue with its manifest read. */
export interface StoredProduct extends Product {
  readonly manifest: ProductManifest;
}

/** Nothing but `publishProducts` writes manifests of this family. */
export function storedProduct(product: Product): StoredProduct {
  return { ...product, manifest: product.manifest as ProductManifest };
}
