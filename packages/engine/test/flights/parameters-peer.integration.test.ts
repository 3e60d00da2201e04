import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareParameters } from '../../../../test/peer/parameters/compare.ts';
import { MOVED_PARAMETERS, parameterSets } from '../../../../test/peer/parameters/sets.ts';
import { times } from '../../../../test/support/effort.ts';
import { readTools } from '../../../../test/support/tools.ts';
import { MODEL_PARAMETERS } from '../../src/flights/parameter-table.ts';

const { python, missing } = readTools();

test('the comparison with the peer moves every parameter', () => {
  expect([...MOVED_PARAMETERS].sort()).toEqual(Object.keys(MODEL_PARAMETERS).sort());
  const moved = new Set(parameterSets(18).flatMap(({ parameters }) => Object.keys(parameters)));
  expect([...moved].sort()).toEqual(Object.keys(MODEL_PARAMETERS).sort());
});

/** A few sets of many parameters each; `node test/peer/parameters.ts` has all of them. */
const SETS = times(2);

test.skipIf(python === null)(
  `random parameters give what pycontrails gives${python === null ? ` (skipped: ${missing.python})` : ''}`,
  { timeout: 600_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'contrails parameters '));
    try {
      const sets = parameterSets(18).slice(-SETS);
      const size = { flightsPerSet: 2, sets, resolutionDeg: 10, seed: 5 };
      const { faults, rows, stopped } = await compareParameters(folder, python ?? '', size);
      expect(faults).toEqual([]);
      expect(stopped).toEqual([]);
      expect(rows).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
