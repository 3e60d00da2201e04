import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readTools } from '../../../../test/support/tools.ts';

const { python, missing } = readTools();
const because = python === null ? ` (skipped: ${missing.python})` : '';

const folder = mkdtempSync(join(tmpdir(), 'contrails-netcdf-'));
afterAll(() => rmSync(folder, { recursive: true }));

const WRITER = fileURLToPath(new URL('programs/write-big-grid.ts', import.meta.url));
const CHECKER = fileURLToPath(new URL('../support/check_big_grid.py', import.meta.url));

test.skipIf(python === null)(
  `18.7 million cells are written plane by plane without holding them all${because}`,
  () => {
    const path = join(folder, 'big.nc');
    const writer = execFileSync(process.execPath, [WRITER, path], { encoding: 'utf8' });
    const found = JSON.parse(execFileSync(python as string, [CHECKER, path], { encoding: 'utf8' }));
    expect(found).toEqual({ shape: [1440, 721, 18, 1], chunks: [1440, 721, 1, 1], wrong: 0 });
    expect(statSync(path).size).toBeLessThan(5e6);
    expect(JSON.parse(writer).peakMegabytes).toBeLessThan(200);
  },
  120_000,
);
