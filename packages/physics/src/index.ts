/**
 * The science by subject. Import a subject by its path (`@contrails/physics/formation`) to load only what you use, or all of
 * them here as namespaces.
 */
export * as aircraft from './aircraft/index.ts';
export * as atmosphere from './atmosphere/index.ts';
export * as climate from './climate/index.ts';
export * as cocip from './cocip/index.ts';
export * as common from './common.ts';
export * as emissions from './emissions/index.ts';
export * as flight from './flight/index.ts';
export * as formation from './formation/index.ts';
export * as geodesy from './geodesy/index.ts';
export * as humidityScaling from './humidity-scaling/index.ts';
export * as numerics from './numerics/index.ts';
export * as planning from './planning/index.ts';
export * as routing from './routing/index.ts';
export * as uncertainty from './uncertainty/index.ts';
