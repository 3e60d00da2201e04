/** Positions on Earth: the sphere of the contrail model, WGS84 geodesics, transport by wind. */
export * from './advection.ts';
export * from './geodesic.ts';
export * from './sphere.ts';
