/**
 * Flights at whole minutes to tables of flights and minutes, weather in memory, beside pycontrails' batched fleet on the same
 * flights: one batch in each of two processes, written as Parquet too. Both sides take the best of five runs.
 *
 * BENCH_FLIGHTS makes it shorter or longer.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTools } from '../test/support/tools.ts';

const FLIGHTS = Number(process.env.BENCH_FLIGHTS ?? 1000);
const CORES = 2;
const MIB = 2 ** 20;
const WANTED = 20;
/** The peer computes in single precision and takes unsmoothed airspeeds below all weather. */
const LIMITS = { fuel: 0.02, forcing: 0.02 };

interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly fuelKg: readonly number[];
  readonly forcingMj: readonly number[];
  readonly peakBytes: number;
}

interface Own extends Measured {
  readonly firstSeconds: number;
  readonly flights: number;
  readonly minutes: number;
}

const folder = mkdtempSync(join(tmpdir(), 'contrails-bench-inventory-'));
try {
  const own = run<Own>(
    process.execPath,
    ['--no-warnings', program('programs/inventory.ts')],
    String(FLIGHTS),
  );
  const { python, missing } = readTools();
  if (python === null) console.log(`no peer: ${missing.python ?? 'Python is not set up'}`);
  const peer = python === null ? undefined : run<Measured>(python, [program('peer/inventory.py')]);
  if (peer !== undefined) requireAlike(own, peer);
  console.log(`${own.flights} flights, ${own.minutes} minutes, ${CORES} cores`);
  const perSecond = (seconds: number) => round(own.flights / seconds);
  console.table([
    {
      what: 'flights per second, resampled flights to tables',
      ours: perSecond(own.seconds),
      peer: peer === undefined ? '–' : perSecond(peer.seconds),
      ratio: peer === undefined ? '–' : round(peer.seconds / own.seconds),
      wanted: `≥ ${WANTED}`,
    },
    {
      what: '… the first time',
      ours: perSecond(own.firstSeconds),
      peer: peer === undefined ? '–' : perSecond(peer.seconds),
      ratio: peer === undefined ? '–' : round(peer.seconds / own.firstSeconds),
      wanted: '',
    },
    {
      what: 'processor seconds',
      ours: round(own.cpuSeconds),
      peer: peer === undefined ? '–' : round(peer.cpuSeconds),
      ratio: peer === undefined ? '–' : round(peer.cpuSeconds / own.cpuSeconds),
      wanted: '',
    },
    {
      what: 'peak memory, MiB',
      ours: round(own.peakBytes / MIB),
      peer: peer === undefined ? '–' : round(peer.peakBytes / MIB),
      ratio: peer === undefined ? '–' : round(peer.peakBytes / own.peakBytes),
      wanted: '',
    },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run<T>(command: string, args: readonly string[], ...more: readonly string[]): T {
  const env = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  const output = execFileSync(command, [...args, folder, ...more, String(CORES)], {
    encoding: 'utf8',
    env,
    maxBuffer: 2 ** 28,
  });
  return JSON.parse(output) as T;
}

function program(path: string): string {
  return join(import.meta.dirname, path);
}

/** Both computed the same flights. */
function requireAlike(own: Measured, peer: Measured): void {
  const worst = (ours: readonly number[], theirs: readonly number[]) => {
    const magnitude = theirs.reduce((sum, value) => sum + Math.abs(value), 0);
    return ours.reduce((sum, value, f) => sum + Math.abs(value - (theirs[f] ?? Number.NaN)), 0) / magnitude;
  };
  const [fuel, forcing] = [worst(own.fuelKg, peer.fuelKg), worst(own.forcingMj, peer.forcingMj)];
  console.log(
    `the two differ by ${round(100 * fuel)} % of the fuel and ${round(100 * forcing)} % of the forcing`,
  );
  if (!(fuel < LIMITS.fuel) || !(forcing < LIMITS.forcing))
    throw new Error(`the two did not compute the same: fuel differs by ${fuel}, forcing by ${forcing}`);
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
