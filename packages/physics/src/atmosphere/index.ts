/**
 * Air alone: standard atmosphere, saturation, humidity, stability, sun and radiation. Threads that only prepare weather
 * load it in a tenth of the time that the tables of aircraft and engines take.
 */
export * from './cirrus.ts';
export * from './humidity.ts';
export * from './interpolation.ts';
export * from './isa.ts';
export * from './level-stretch.ts';
export * from './mach.ts';
export * from './model-levels.ts';
export * from './planetary-albedo.ts';
export * from './radiation.ts';
export * from './saturation.ts';
export * from './saturation-table.ts';
export * from './sea-level.ts';
export * from './solar.ts';
export * from './stratification.ts';
export * from './thermodynamics.ts';
export * from './vertical.ts';
