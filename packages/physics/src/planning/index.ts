/** Planning: what another level would have cost, and which sequence of levels is best. */
export * from './avoid.ts';
export * from './cost.ts';
export * from './decision.ts';
export * from './limits.ts';
export * from './profile.ts';
export * from './shortest-path.ts';
export * from './stages.ts';
export * from './timing.ts';
export * from './track.ts';
