export { type Catalogue, createCatalogue, type Product, type ProductQuery } from './catalogue.ts';
export type { Database, Queryable, SqlValue } from './database.ts';
export type { Migration } from './migrate.ts';
export { type DatabaseOptions, openDatabase } from './open.ts';
