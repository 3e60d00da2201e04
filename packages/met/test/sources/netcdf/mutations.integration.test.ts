import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../../../test/support/tools.ts';
import { classicFaults, writeWholeFiles } from '../../support/mutations.ts';

const { python, missing } = readTools();
const needsPython = `needs Python with netCDF4${python === null ? ` (${missing.python})` : ''}`;

describe.skipIf(python === null)(`damaged classic netCDF files: ${needsPython}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-mutations-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  writeWholeFiles(python ?? '', directory);

  test.each(['classic', 'records', 'cdf5'])(
    'of a mutated %s file nothing is accepted that the reference refuses, or read otherwise',
    (kind) => {
      const into = join(directory, kind);
      mkdirSync(into);
      const seeds = Array.from({ length: 100 }, (_, i) => i + 1);
      const found = classicFaults(python ?? '', into, join(directory, `whole-${kind}.nc`), seeds);
      expect(found.faults).toEqual([]);
      expect(found.accepted).toBeGreaterThan(10);
      expect(found.refused).toBeGreaterThan(10);
    },
  );
});
