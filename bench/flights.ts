/**
 * From a day of telemetry to flights at whole minutes, versus pandas on the same file. The peer does less: it cuts at
 * pauses, filters speeds and interpolates. BENCH_TRAFFIC_PYTHON names a Python that has the package traffic (2.13, with
 * pandas 2), which then takes the same file; it cuts at pauses alone, so its legs differ a little.
 *
 * BENCH_LEGS makes it shorter.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTools } from '../test/support/tools.ts';
import { writeTelemetryDay } from './support/telemetry-day.ts';

const LEGS = Number(process.env.BENCH_LEGS ?? 5100);
const TRAFFIC_PYTHON = process.env.BENCH_TRAFFIC_PYTHON;
const MIB = 2 ** 20;

interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly reports: number;
  readonly legs: number;
  readonly minutes: number;
  readonly checksum: number;
  readonly peakBytes: number;
}

const directory = mkdtempSync(join(tmpdir(), 'contrails-bench-flights-'));
try {
  const table = join(directory, 'day.parquet');
  await writeTelemetryDay(LEGS, table);
  const own = run(process.execPath, ['--no-warnings', program('programs/flights.ts'), table, directory]);
  const { python, missing } = readTools();
  if (python === null) console.log(`no peer: ${missing.python ?? 'Python is not set up'}`);
  const theirs = python === null ? undefined : run(python, [program('peer/flights.py'), table]);
  if (theirs !== undefined) requireAlike(own, theirs);
  const traffic =
    TRAFFIC_PYTHON && run(TRAFFIC_PYTHON, ['-W', 'ignore', program('peer/flights-traffic.py'), table]);
  console.log(`${own.reports} reports, ${own.legs} legs, ${own.minutes} minutes`);
  if (traffic) console.log(`traffic: ${traffic.legs} legs, ${traffic.minutes} minutes`);
  console.table([
    {
      what: 'reports to flights, s',
      ours: round(own.seconds),
      peer: shown(theirs?.seconds),
      ...(traffic && { traffic: round(traffic.seconds) }),
      wanted: '≤ 5',
    },
    {
      what: 'CPU, s',
      ours: round(own.cpuSeconds),
      peer: shown(theirs?.cpuSeconds),
      ...(traffic && { traffic: round(traffic.cpuSeconds) }),
      wanted: '',
    },
    {
      what: 'peak memory, MB',
      ours: round(own.peakBytes / MIB),
      peer: shown(theirs && theirs.peakBytes / MIB),
      ...(traffic && { traffic: round(traffic.peakBytes / MIB) }),
      wanted: '≤ 1024',
    },
  ]);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function run(command: string, args: readonly string[]): Measured {
  return JSON.parse(execFileSync(command, args, { encoding: 'utf8' })) as Measured;
}

function program(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Both made the same legs; ours are a little longer where points were added at airports. */
function requireAlike(own: Measured, theirs: Measured): void {
  const difference = Math.max(
    Math.abs(own.legs / theirs.legs - 1),
    Math.abs(own.minutes / theirs.minutes - 1),
    Math.abs(own.checksum / own.minutes - theirs.checksum / theirs.minutes) / 90,
  );
  if (!(difference < 0.05)) throw new Error(`the two did not compute the same: they differ by ${difference}`);
}

function shown(value: number | undefined): number | string {
  return value === undefined ? '–' : round(value);
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
