/** Routes: the cheapest way across, up and down between two points. */
export * from './areas.ts';
export * from './choices.ts';
export * from './fields.ts';
export * from './frame.ts';
export * from './given-route.ts';
export * from './search.ts';
