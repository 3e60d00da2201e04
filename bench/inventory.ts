/**
 * Flights at whole minutes to tables of flights and minutes, weather in memory, versus pycontrails' batched fleet on the same
 * flights, written as Parquet too: as one batch in one process, as the library is used, and as one batch in each of two
 * processes, which keeps both cores busy as we do. All sides take the best of eight runs.
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
  const own = run<Own>(process.execPath, [
    '--no-warnings',
    program('programs/inventory.ts'),
    folder,
    String(FLIGHTS),
    String(CORES),
  ]);
  const { python, missing } = readTools();
  if (python === null) console.log(`no peer: ${missing.python ?? 'Python is not set up'}`);
  const peers = [1, CORES].flatMap((processes) =>
    python === null
      ? []
      : [
          {
            what:
              processes === 1 ? 'one fleet in one process' : `one fleet in each of ${processes} processes`,
            ...run<Measured>(python, [program('peer/inventory.py'), folder, String(processes)]),
          },
        ],
  );
  for (const peer of peers) requireAlike(own, peer);
  console.log(`${own.flights} flights, ${own.minutes} minutes, ${CORES} cores`);
  const perSecond = ({ seconds }: Pick<Measured, 'seconds'>) => round(own.flights / seconds);
  const row = (what: string, measured: Measured) => ({
    what,
    'flights per second': perSecond(measured),
    'processor seconds': round(measured.cpuSeconds),
    'peak memory, MiB': round(measured.peakBytes / MIB),
    'ours is … times as fast': measured === own ? '' : round(measured.seconds / own.seconds),
    'with … times less processor time': measured === own ? '' : round(measured.cpuSeconds / own.cpuSeconds),
  });
  console.table([
    row('ours: resampled flights to tables', own),
    ...peers.map((peer) => row(`peer: ${peer.what}`, peer)),
  ]);
  console.log(
    `ours the first time: ${perSecond({ seconds: own.firstSeconds })} flights per second; wanted: ≥ ${WANTED} times as fast`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run<T>(command: string, args: readonly string[]): T {
  const env = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  const output = execFileSync(command, [...args], { encoding: 'utf8', env, maxBuffer: 2 ** 28 });
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
