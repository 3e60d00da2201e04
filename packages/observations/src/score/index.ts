/** How good segments, attributions and confidences are, where the truth is known. */
export * from './attributions.ts';
export * from './instances.ts';
export * from './pixels.ts';
