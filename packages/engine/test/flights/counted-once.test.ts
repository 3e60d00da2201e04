import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../../../test/support/tools.ts';

/** Files that name contrails of the climate change functions; a new one has to show that it adds them to nothing. */
const KNOWN = [
  'engine/src/flights/climate-answer.ts',
  'engine/src/flights/flight-climate.ts',
  'engine/src/grid/accf-variables.ts',
  'engine/src/grid/compute-accf.ts',
  'physics/src/climate/accf.ts',
  'physics/src/climate/balance.ts',
  'physics/src/fields.ts',
  'service/src/families/grid/routes.ts',
  'service/src/families/trajectory/examples.ts',
  'service/src/families/trajectory/routes.ts',
  'service/src/families/trajectory/schema.ts',
];

const packages = join(repositoryRoot, 'packages');
const sources = globSync('*/src/**/*.ts', { cwd: packages })
  .filter((name) => !name.includes('/generated/') && !name.startsWith('web/'))
  .map((name) => ({ name, text: readFileSync(join(packages, name), 'utf8') }));

test('only known files name contrails of the climate change functions', () => {
  const named = sources.filter(({ text }) =>
    /contrailsAccf|contrails_accf|aCCF_(merged|[nd]?Cont)/.test(text),
  );
  expect(named.map(({ name }) => name).sort()).toEqual(KNOWN);
});

test('no sum of a balance has them beside contrails of the contrail model', () => {
  const sums = sources.flatMap(({ text }) =>
    [...text.matchAll(/addMetrics\(([^)]*)\)/g)].map(([, terms]) => terms),
  );
  expect(sums.length).toBeGreaterThan(1);
  for (const terms of sums) expect(terms).not.toMatch(/accf/i);
});
