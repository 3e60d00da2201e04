/** Columns of numbers and their sums, searches in axes. */
export * from './columns.ts';
export * from './knot-index.ts';
export * from './lerp.ts';
export * from './reused-columns.ts';
export * from './sums.ts';
