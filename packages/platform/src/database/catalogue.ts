import type { Queryable, SqlValue } from './database.ts';

/** What the catalogue knows of one stored product; `key` is also its key in the store. */
export interface Product {
  readonly key: string;
  /** The family of endpoints that serves it, such as `forecast`. */
  readonly family: string;
  /** What it is within the family, such as `grid` or `regions`. */
  readonly kind: string;
  /** The instant it describes; null when it has none. */
  readonly validTimeMs: number | null;
  /** The start of the forecast run it was made from; null when it has none. */
  readonly referenceTimeMs: number | null;
  /** What else it is found by, such as flight level and aircraft class. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly sha256: string;
  readonly size: number;
  readonly createdMs: number;
  /** Inputs, versions and checksums it was made from. */
  readonly manifest: object;
}

interface ProductQuery {
  readonly family: string;
  readonly kind?: string;
  /** First and last valid time, both inclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly referenceTimeMs?: number;
  readonly limit?: number;
}

export interface Catalogue {
  /** Adds the product, or replaces the entry of its key. */
  put(product: Product): Promise<void>;
  get(key: string): Promise<Product | undefined>;
  /** Ascending in valid time; of one valid time the newest run first. */
  find(query: ProductQuery): Promise<Product[]>;
  /** True when there was such a product. */
  remove(key: string): Promise<boolean>;
}

/** The catalogue in a database, or in one transaction on it. */
export function createCatalogue(database: Queryable): Catalogue {
  return {
    async put(product) {
      await database.execute(UPSERT, toRow(product));
    },
    async get(key) {
      const rows = await database.query<Row>(`SELECT ${COLUMNS} FROM products WHERE key = $1`, [key]);
      return rows.map(toProduct)[0];
    },
    async find(query) {
      const { where, values } = conditions(query);
      const limit = query.limit === undefined ? '' : `LIMIT $${values.push(query.limit)}`;
      const rows = await database.query<Row>(
        `SELECT ${COLUMNS} FROM products WHERE ${where}
         ORDER BY valid_time_ms ASC NULLS FIRST, reference_time_ms DESC NULLS LAST, key ASC ${limit}`,
        values,
      );
      return rows.map(toProduct);
    },
    async remove(key) {
      return (await database.execute('DELETE FROM products WHERE key = $1', [key])) > 0;
    },
  };
}

const COLUMNS =
  'key, family, kind, valid_time_ms, reference_time_ms, attributes, sha256, size, created_ms, manifest';

const UPSERT = `INSERT INTO products (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (key) DO UPDATE SET family = excluded.family, kind = excluded.kind,
    valid_time_ms = excluded.valid_time_ms, reference_time_ms = excluded.reference_time_ms,
    attributes = excluded.attributes, sha256 = excluded.sha256, size = excluded.size,
    created_ms = excluded.created_ms, manifest = excluded.manifest`;

interface Row {
  readonly key: string;
  readonly family: string;
  readonly kind: string;
  readonly valid_time_ms: number | null;
  readonly reference_time_ms: number | null;
  readonly attributes: string;
  readonly sha256: string;
  readonly size: number;
  readonly created_ms: number;
  readonly manifest: string;
}

function conditions(query: ProductQuery): { where: string; values: SqlValue[] } {
  const values: SqlValue[] = [];
  const terms: string[] = [];
  const add = (term: string, value: SqlValue | undefined) => {
    if (value !== undefined) terms.push(`${term} $${values.push(value)}`);
  };
  add('family =', query.family);
  add('kind =', query.kind);
  add('valid_time_ms >=', query.fromMs);
  add('valid_time_ms <=', query.toMs);
  add('reference_time_ms =', query.referenceTimeMs);
  return { where: terms.join(' AND '), values };
}

function toRow(product: Product): SqlValue[] {
  return [
    product.key,
    product.family,
    product.kind,
    product.validTimeMs,
    product.referenceTimeMs,
    JSON.stringify(product.attributes),
    product.sha256,
    product.size,
    product.createdMs,
    JSON.stringify(product.manifest),
  ];
}

function toProduct(row: Row): Product {
  return {
    key: row.key,
    family: row.family,
    kind: row.kind,
    validTimeMs: row.valid_time_ms,
    referenceTimeMs: row.reference_time_ms,
    attributes: JSON.parse(row.attributes),
    sha256: row.sha256,
    size: row.size,
    createdMs: row.created_ms,
    manifest: JSON.parse(row.manifest),
  };
}
