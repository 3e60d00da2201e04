export * from './axis.ts';
export * from './field.ts';
export * from './humidity-interpolation.ts';
export * from './interpolate.ts';
export * from './longitudes.ts';
export * from './source.ts';
export * from './variables.ts';
