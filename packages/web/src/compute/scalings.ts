/** Corrections of humidity that run on a GPU, by the names of the service. */
export const SCALINGS = [
  'none',
  'constant_scale',
  'constant_scale_by_level',
  'exponential_boost',
  'exponential_boost_latitude_customization',
] as const;

export type Scaling = (typeof SCALINGS)[number];
