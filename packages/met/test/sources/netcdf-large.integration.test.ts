import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../../test/support/tools.ts';

const { python, missing } = readTools();
const needsPython = `needs Python with netCDF4${python === null ? ` (${missing.python})` : ''}`;

describe.skipIf(python === null)(`a small window of a netCDF file larger than memory: ${needsPython}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-large-'));
  const support = join(import.meta.dirname, '..', 'support');
  beforeAll(() => {
    execFileSync(python ?? '', [join(support, 'write_large_netcdf.py'), directory]);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test.each(['plain.nc', 'chunked.nc'])('%s takes less than 300 MB', (name) => {
    const path = join(directory, name);
    const reader = fileURLToPath(new URL('../support/large-window.ts', import.meta.url));
    const answer = JSON.parse(execFileSync(process.execPath, [reader, path], { encoding: 'utf8' }));
    expect(answer).toMatchObject({ shape: [3, 3, 81, 81], wrong: 0 });
    expect(answer.extraBytes).toBeLessThan(300e6);
  });

  test('the plain file is as large as it claims', () => {
    expect(statSync(join(directory, 'plain.nc')).size).toBeGreaterThan(3e9);
  });
});
