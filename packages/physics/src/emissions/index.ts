/** Exhaust of engines: carbon dioxide, water, nitrogen oxides, particles; fuels. */

export * from '../fuel.ts';
export * from './emissions.ts';
export * from './engine-cycle.ts';
export * from './engines.ts';
export * from './gaseous.ts';
export * from './hydrogen.ts';
export * from './legacy.ts';
export * from './meem.ts';
export * from './nvpm.ts';
export * from './scope11.ts';
export * from './totals.ts';
