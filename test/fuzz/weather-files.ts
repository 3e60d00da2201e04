/**
 * Damages small files of weather at random and reads them as the service would.
 *
 *     node test/fuzz/weather-files.ts --files 500 --seed 1 [--format netcdf3|netcdf4|grib|zarr] [--keep DIRECTORY]
 *
 * netCDF-3: nothing is accepted that the reference reader refuses, and what both accept has the same values. Others: every
 * file is read, refused with a reason that names it, or quarantined because a library loops on it; what we and the reference
 * read has the same coordinates and values. --keep collects files of the other kinds. Ends with 1 when something else happens.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MetError } from '../../packages/met/src/errors.ts';
import type { MetField } from '../../packages/met/src/field/field.ts';
import { datasetFindings } from '../../packages/met/src/inspect/dataset-findings.ts';
import type { MetSource } from '../../packages/met/src/source.ts';
import { openGrib } from '../../packages/met/src/sources/grib/source.ts';
import { openNetcdf } from '../../packages/met/src/sources/netcdf/source.ts';
import { openZarr } from '../../packages/met/src/sources/zarr/source.ts';
import { classicFaults, mutate, writeWholeFiles } from '../../packages/met/test/support/mutations.ts';
import { compareWithReference, readReference } from '../../packages/met/test/support/reference-weather.ts';
import { readTools } from '../support/tools.ts';

/** Long enough for a busy machine, and there are only a few files on which it passes. */
const STALL_MS = 15_000;
/** Damaged files that exist at a time. */
const FILES_AT_ONCE = 50;
const VARIABLES = ['air_temperature', 'specific_humidity'];
const EVERYWHERE = { level: [0.001, 1100], latitude: [-90, 90], longitude: [-180, 180] } as const;

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
  if (values.format === undefined || values.format === 'netcdf3') {
    for (const kind of ['classic', 'records', 'cdf5']) {
      const into = join(directory, kind);
      mkdirSync(into);
      const found = classicFaults(python, into, join(directory, `whole-${kind}.nc`), seeds);
      console.log(`netCDF-3 ${kind}: ${found.accepted} accepted, ${found.refused} refused`);
      faults.push(...found.faults.map((fault) => `${kind} ${fault}`));
    }
  }
  const wanted = (format: string) => values.format === undefined || values.format === format;
  if (wanted('netcdf4')) faults.push(...(await fuzz(netcdf4Kind(), seeds)));
  if (wanted('grib')) for (const kind of gribKinds(python)) faults.push(...(await fuzz(kind, seeds)));
  if (wanted('zarr')) for (const kind of zarrKinds(python)) faults.push(...(await fuzz(kind, seeds)));
  for (const fault of faults) console.error(fault);
  console.log(`${faults.length} faults`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  rmSync(directory, { recursive: true });
}

/** A way to damage a copy of something whole, and to read it. */
interface Kind {
  readonly title: string;
  /** Writes a damaged copy of the file; returns its name. */
  damage(seed: number): string;
  open(name: string): MetSource;
}

async function fuzz({ title, damage, open }: Kind, seeds: readonly number[]): Promise<string[]> {
  const counts = { same: 0, 'read by us alone': 0, different: 0, refused: 0, quarantined: 0 };
  const faults: string[] = [];
  for (let first = 0; first < seeds.length; first += FILES_AT_ONCE) {
    const some = seeds.slice(first, first + FILES_AT_ONCE);
    const names = some.map(damage);
    const reference = readReference(python as string, directory, names);
    for (const [i, name] of names.entries()) {
      const outcome = await readDamaged(open(name), name);
      const where = `${title} ${some[i]}`;
      if (outcome instanceof Error) faults.push(`${where} ended in ${outcome.stack}`);
      else if (typeof outcome === 'string') counts[outcome]++;
      else {
        const { verdict, message } = compareWithReference(outcome, reference[i]);
        counts[verdict]++;
        if (verdict === 'different')
          faults.push(`${where} is read otherwise than by the reference: ${message}`);
        else if (message !== undefined) console.log(`${where}: ${message}`);
      }
      if (outcome === 'quarantined') console.log(`${where} makes the library loop`);
      if (values.keep !== undefined && (outcome === 'quarantined' || faults.at(-1)?.startsWith(`${where} `)))
        cpSync(join(directory, name), join(values.keep, name), { recursive: true });
      rmSync(join(directory, name), { recursive: true });
    }
  }
  const listed = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  console.log(`${title}: ${listed.join(', ')}`);
  return faults;
}

/** All that a damaged file has of the two variables, in the weather of the times that it claims to have. */
async function readDamaged(
  source: MetSource,
  name: string,
): Promise<readonly MetField[] | 'refused' | 'quarantined' | Error> {
  try {
    const description = await source.describe();
    datasetFindings(description);
    const fields: MetField[] = [];
    for (const { times, referenceTime } of description.runs) {
      const [first, last] = [times[0], times.at(-1)];
      if (first === undefined || last === undefined) continue;
      const window = {
        ...EVERYWHERE,
        variables: VARIABLES,
        time: [first, last] as const,
        ...(referenceTime === undefined ? {} : { referenceTime }),
      };
      fields.push(await source.read(window, { description }));
    }
    return fields;
  } catch (error) {
    if (source.quarantined?.().length) return 'quarantined';
    if (!(error instanceof MetError)) return error instanceof Error ? error : new Error(String(error));
    const isOfFile = error.kind === 'unreadable' || error.kind === 'unavailable';
    return isOfFile && !error.message.includes(name) ? new Error(`no file in: ${error.message}`) : 'refused';
  } finally {
    await source.close();
  }
}

function origin() {
  return {
    name: 'fuzz',
    directory,
    threads: 1,
    stallMs: STALL_MS,
    provider: 'ECMWF',
    dataset: 'ERA5',
  } as const;
}

function damagedFile(whole: string, ending: string): (seed: number) => string {
  const bytes = readFileSync(whole);
  return (seed) => {
    const name = `damaged-${seed}.${ending}`;
    writeFileSync(join(directory, name), mutate(bytes, seed));
    return name;
  };
}

function supportOf(python: string, script: string, folder: string): string {
  const support = join(import.meta.dirname, '../../packages/met/test/support');
  const l137 = join(import.meta.dirname, '../../packages/physics/data/model-levels-l137.csv');
  const into = join(directory, folder);
  mkdirSync(into);
  execFileSync(python, [join(support, script), into, l137], { stdio: ['ignore', 'ignore', 'pipe'] });
  return into;
}

function netcdf4Kind(): Kind {
  return {
    title: 'netCDF-4',
    damage: damagedFile(join(directory, 'whole-netcdf4.nc'), 'nc'),
    open: (path) => openNetcdf({ ...origin(), product: 'reanalysis', paths: [path] }),
  };
}

/** Of each packing one file. */
function gribKinds(python: string): Kind[] {
  const whole = supportOf(python, 'write_grib.py', 'grib');
  return ['ecmwf-00-003', 'gfs-00-003', 'gfs-jpeg-00-003', 'simple-ascending-00-000'].map((name) => {
    return {
      title: `GRIB2 ${name}`,
      damage: damagedFile(join(whole, `${name}.grib2`), 'grib2'),
      open: (path) => openGrib({ ...origin(), product: 'forecast', paths: [path] }),
    };
  });
}

/** Metadata and chunks of stores: one object of a store is damaged. */
function zarrKinds(python: string): Kind[] {
  const whole = supportOf(python, 'write_zarr.py', 'zarr');
  return ['v2-gzip', 'v3-zstd', 'v3-sharded-blosc', 'xarray-packed-v3', 'blocks-lz4'].map((name) => {
    const store = join(whole, `${name}.zarr`);
    const objects = readdirSync(store, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(store, path)).isFile())
      .sort();
    const metadata = objects.filter((path) => /\.z|json$/.test(path));
    return {
      title: `Zarr ${name}`,
      damage: (seed) => {
        const copy = `damaged-${seed}.zarr`;
        cpSync(store, join(directory, copy), { recursive: true });
        const among = seed % 2 === 0 ? metadata : objects;
        const path = join(directory, copy, among[seed % among.length] as string);
        writeFileSync(path, mutate(readFileSync(path), seed));
        return copy;
      },
      open: (path) => openZarr({ ...origin(), product: 'reanalysis', paths: [path] }),
    };
  });
}
