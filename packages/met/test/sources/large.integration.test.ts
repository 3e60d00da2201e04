import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../../test/support/tools.ts';

const { python, missing } = readTools();
const needsPython = `needs Python with netCDF4 and zarr${python === null ? ` (${missing.python})` : ''}`;

describe.skipIf(python === null)(`a small window of much more than fits into memory: ${needsPython}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-large-'));
  const support = join(import.meta.dirname, '..', 'support');
  beforeAll(() => {
    for (const script of ['write_large_netcdf.py', 'write_large_zarr.py']) {
      execFileSync(python ?? '', [join(support, script), directory]);
    }
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test.each([
    ['plain.nc', 300e6],
    ['chunked.nc', 300e6],
    // A chunk alone has 154 MB, and two variables are read by as many threads as there are processors.
    ['chunks.zarr', 150e6],
  ])('%s takes less than %d bytes of memory', (name, most) => {
    const path = join(directory, name);
    const reader = fileURLToPath(new URL('../support/large-window.ts', import.meta.url));
    const answer = JSON.parse(execFileSync(process.execPath, [reader, path], { encoding: 'utf8' }));
    expect(answer).toMatchObject({ shape: [3, 3, 81, 81], wrong: 0 });
    expect(answer.extraBytes).toBeLessThan(most);
  });

  test('the plain file is as large as it claims', () => {
    expect(statSync(join(directory, 'plain.nc')).size).toBeGreaterThan(3e9);
  });
});
