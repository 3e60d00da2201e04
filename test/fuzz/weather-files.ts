/**
 * Damages small netCDF files at random and reads them as the service would.
 *
 *     node test/fuzz/weather-files.ts --files 500 --seed 1 [--format netcdf3|netcdf4] [--keep DIRECTORY]
 *
 * netCDF-3: nothing is accepted that the reference reader refuses, and what both accept has the same values. netCDF-4:
 * every file is read, refused with a reason, or quarantined because the library loops on it; --keep collects the last
 * kind. Ends with 1 when something else happens.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MetError } from '../../packages/met/src/errors.ts';
import { openNetcdf } from '../../packages/met/src/sources/netcdf/source.ts';
import { classicFaults, mutate, writeWholeFiles } from '../../packages/met/test/support/mutations.ts';
import { readTools } from '../support/tools.ts';

/** Long enough for a busy machine, and there are only a few files on which it passes. */
const STALL_MS = 15_000;
/** Times and values of the whole files. */
const WINDOW = {
  variables: ['air_temperature', 'specific_humidity'],
  time: [Date.parse('2024-04-01T00:00:00Z'), Date.parse('2024-04-01T01:00:00Z')],
  level: [200, 250],
  latitude: [10, 30],
  longitude: [10, 40],
} as const;

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    format: { type: 'string' },
    keep: { type: 'string' },
  },
});
const { python, missing } = readTools();
if (python === null) throw new Error(`this needs Python with netCDF4: ${missing.python}`);
const directory = mkdtempSync(join(tmpdir(), 'contrails-fuzz-'));
try {
  writeWholeFiles(python, directory);
  const seeds = Array.from({ length: Number(values.files) }, (_, i) => Number(values.seed) + i);
  const faults: string[] = [];
  if (values.format !== 'netcdf4') {
    for (const kind of ['classic', 'records', 'cdf5']) {
      const into = join(directory, kind);
      mkdirSync(into);
      const found = classicFaults(python, into, join(directory, `whole-${kind}.nc`), seeds);
      console.log(`netCDF-3 ${kind}: ${found.accepted} accepted, ${found.refused} refused`);
      faults.push(...found.faults.map((fault) => `${kind} ${fault}`));
    }
  }
  if (values.format !== 'netcdf3') faults.push(...(await fuzzNetcdf4(seeds)));
  for (const fault of faults) console.error(fault);
  console.log(`${faults.length} faults`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  rmSync(directory, { recursive: true });
}

async function fuzzNetcdf4(seeds: readonly number[]): Promise<string[]> {
  const whole = readFileSync(join(directory, 'whole-netcdf4.nc'));
  const counts = { read: 0, refused: 0, quarantined: 0 };
  const faults: string[] = [];
  for (const seed of seeds) {
    const name = `netcdf4-${seed}.nc`;
    writeFileSync(join(directory, name), mutate(whole, seed));
    const outcome = await readNetcdf4(name);
    if (outcome instanceof Error) {
      faults.push(`netCDF-4 ${seed} ended in ${outcome.stack}`);
      continue;
    }
    counts[outcome]++;
    if (outcome === 'quarantined') {
      console.log(`netCDF-4 ${seed} makes the library loop`);
      if (values.keep !== undefined) copyFileSync(join(directory, name), join(values.keep, name));
    }
    rmSync(join(directory, name));
  }
  console.log(`netCDF-4: ${counts.read} read, ${counts.refused} refused, ${counts.quarantined} quarantined`);
  return faults;
}

async function readNetcdf4(name: string): Promise<'read' | 'refused' | 'quarantined' | Error> {
  const source = openNetcdf({
    ...{ name: 'fuzz', directory, paths: [name], threads: 1, stallMs: STALL_MS },
    ...{ provider: 'ECMWF', dataset: 'ERA5', product: 'reanalysis' },
  });
  try {
    await source.read(WINDOW);
    return 'read';
  } catch (error) {
    if (source.quarantined?.().length) return 'quarantined';
    if (error instanceof MetError) return 'refused';
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await source.close();
  }
}
