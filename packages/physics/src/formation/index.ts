/** Where contrails form (Schmidt–Appleman criterion) and persist (ice-supersaturated regions). */
export * from './issr.ts';
export * from './pcc.ts';
export * from './pcr.ts';
export * from './sac.ts';
export * from './sac-columns.ts';
export * from './sac-level.ts';
