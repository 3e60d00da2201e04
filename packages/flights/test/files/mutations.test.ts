import { expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { casesByFormat, faultsOf } from './mutations.ts';

/** `npm run test:fuzz` tries two thousand. */
const FILES = 60;

test.each([...casesByFormat()])('damaged files are read or refused: %s', async (_, cases) => {
  for (let seed = 1; seed <= times(FILES); seed++) {
    const one = cases[seed % cases.length];
    if (one !== undefined) expect(await faultsOf(one, seed)).toEqual([]);
  }
});
