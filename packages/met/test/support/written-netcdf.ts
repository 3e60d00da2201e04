import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { FieldValues, MetField } from '../../src/field/field.ts';
import { offsetOf } from '../../src/field/field.ts';
import { type NetcdfOptions, openNetcdf } from '../../src/sources/netcdf/source.ts';
import { readWritten, type WrittenCase } from './written-weather.ts';

export interface WrittenFiles {
  readonly directory: string;
  read(name: string): WrittenCase;
}

/** Sources of a kind share their idle threads for as long as one is open: this one is, to the end of the test file. */
export function keepThreads(source: { close(): Promise<void> }): void {
  afterAll(() => source.close());
}

/** Has the Python library write the files of every layout into a new directory. */
export function writeNetcdf(python: string): WrittenFiles {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-netcdf-'));
  const script = join(import.meta.dirname, 'write_netcdf.py');
  const levels = join(import.meta.dirname, '../../../physics/data/model-levels-l137.csv');
  execFileSync(python, [script, directory, levels], { stdio: ['ignore', 'ignore', 'pipe'] });
  keepThreads(sourceOf(directory, []));
  return { directory, read: (name) => readWritten(directory, name) };
}

export function sourceOf(directory: string, paths: readonly string[], more: Partial<NetcdfOptions> = {}) {
  return openNetcdf({
    name: 'test',
    directory,
    paths,
    provider: 'ECMWF',
    dataset: 'ERA5',
    product: 'reanalysis',
    threads: 1,
    ...more,
  });
}

/** Values of a field that differ from the written ones in a single bit, as text; a wrapped meridian counts twice. */
export function differences(field: MetField, written: WrittenCase): string[] {
  const found: string[] = [];
  const knots = (axis: 'longitude' | 'latitude' | 'level' | 'time') => [...field[axis].knots];
  const { time, level, latitude, longitude } = written;
  for (const [v, name] of field.variables.entries()) {
    for (const [l, t] of knots('time').entries()) {
      for (const [k, p] of knots('level').entries()) {
        for (const [j, y] of knots('latitude').entries()) {
          for (const [i, x] of knots('longitude').entries()) {
            // The last meridian before a gap stands twice, a millionth of a degree apart.
            const column = longitude.indexOf(Number((((x + 540) % 360) - 180).toFixed(5)));
            const at =
              (((written.variables.indexOf(name) * time.length + time.indexOf(t)) * level.length +
                level.indexOf(p)) *
                latitude.length +
                latitude.indexOf(y)) *
                longitude.length +
              column;
            const expected = column < 0 ? Number.NaN : (written.values[at] as number);
            const actual = (field.slabs[l] as FieldValues)[offsetOf(field, i, j, k, v)] as number;
            if (!Object.is(actual, expected))
              found.push(`${name} at ${[t, p, y, x].join(' ')}: ${actual} instead of ${expected}`);
          }
        }
      }
    }
  }
  return found;
}
