/** Corrections of the humidity of weather models, by name or one by one. */
export {
  type ByLevelParams,
  DEFAULT_BY_LEVEL_PARAMS,
  humidityScalingByLevel,
  rhiDivisorByLevel,
} from './by-level.ts';
export * from './by-name.ts';
export * from './constant.ts';
export * from './eckel.ts';
export * from './exponential-boost.ts';
export * from './histogram-matching.ts';
export * from './histogram-vector.ts';
export * from './latitude-boost.ts';
export type * from './scaling.ts';
