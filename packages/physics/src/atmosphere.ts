/**
 * The part of the package about air alone. Threads that only prepare weather load it in a tenth of the time that the
 * whole takes with its tables of aircraft and engines.
 */
export * from './cirrus.ts';
export * from './constants.ts';
export * from './isa.ts';
export * from './level-stretch.ts';
export * from './model-levels.ts';
export * from './radiation.ts';
export * from './saturation.ts';
export * from './saturation-table.ts';
export * from './solar.ts';
export * from './thermodynamics.ts';
