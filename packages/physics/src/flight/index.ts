/** Performance and emissions along a whole flight. */
export * from '../flight-columns.ts';
export type * from './attributes.ts';
export * from './columns.ts';
export * from './evaluate.ts';
export * from './low-altitude.ts';
