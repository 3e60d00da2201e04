/** How sure is it: samples of the uncertain parameters and of humidity, their statistics, and flights under them. */
export * from './distributions.ts';
export * from './humidity-field.ts';
export * from './normal.ts';
export * from './perturbed-flight.ts';
export * from './philox.ts';
export * from './sampler.ts';
export * from './statistics.ts';
