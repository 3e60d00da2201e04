/**
 * The telemetry store: import of an hour of 1.7 million reports as a Parquet table, and building the hour from it, versus a
 * script with pandas and pyarrow that does the same on the same file. Rows per second, seconds, and peak memory of the process.
 *
 * BENCH_ROWS makes it shorter.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTools } from '../test/support/tools.ts';
import { writeTelemetryHour } from './support/telemetry-hour.ts';

const ROWS = Number(process.env.BENCH_ROWS ?? 1_700_000);
const HOUR_MS = Date.UTC(2026, 0, 1, 6);

interface Measured {
  readonly records: number;
  readonly rows: number;
  readonly importSeconds: number;
  readonly importCpuSeconds: number;
  readonly buildSeconds: number;
  readonly buildCpuSeconds: number;
  readonly peakMiB: number;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-telemetry-hours-'));
try {
  const file = join(folder, 'hour.parquet');
  await writeTelemetryHour(file, HOUR_MS, ROWS, join(folder, 'spill'));
  const program = join(import.meta.dirname, 'programs', 'telemetry-hours.ts');
  const { python, missing } = readTools();
  const measured = { ours: measure(process.execPath, program, file, String(HOUR_MS)) };
  const all: Record<string, Measured> =
    python === null
      ? measured
      : { ...measured, peer: measure(python, join(import.meta.dirname, 'peer', 'telemetry-hours.py'), file) };
  console.table(
    Object.entries(all).map(([who, one]) => ({
      who,
      records: one.records,
      rows: one.rows,
      'import, rows/s': Math.round(one.records / one.importSeconds),
      'import, CPU s': Number(one.importCpuSeconds.toFixed(1)),
      'build, s': Number(one.buildSeconds.toFixed(1)),
      'build, CPU s': Number(one.buildCpuSeconds.toFixed(1)),
      MiB: Math.round(one.peakMiB),
    })),
  );
  if (python === null) console.log(`no peer: ${missing.python ?? 'Python is not set up'}`);
} finally {
  rmSync(folder, { recursive: true });
}

/** A separate process, for its memory; it prints one line of JSON. */
function measure(program: string, ...args: readonly string[]): Measured {
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8' })) as Measured;
}
