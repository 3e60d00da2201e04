/** Columns of numbers, their sums and their interpolation. */
export * from './columns.ts';
export * from './interpolation.ts';
export * from './knot-index.ts';
export * from './lerp.ts';
export * from './sums.ts';
