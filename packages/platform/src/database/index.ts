export { type Catalogue, createCatalogue, type Product } from './catalogue.ts';
export type { Database } from './database.ts';
