/** The public names of all subjects in one namespace. */
export * from '../../src/aircraft/index.ts';
export * from '../../src/atmosphere/index.ts';
export * from '../../src/cocip/index.ts';
export * from '../../src/common.ts';
export * from '../../src/emissions/index.ts';
export * from '../../src/flight/index.ts';
export * from '../../src/formation/index.ts';
export * from '../../src/geodesy/index.ts';
export * from '../../src/humidity-scaling/index.ts';
export * from '../../src/numerics/index.ts';
