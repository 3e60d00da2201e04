/** What every subject uses: constants, units, errors, near matches of names. */
export * from './constants.ts';
export * from './errors.ts';
export * from './near-matches.ts';
export * from './units.ts';
