/**
 * Contrails of flights versus pycontrails, weather in memory for both: the golden cases on one core, a fleet of a hundred
 * flights on one core and on two, where the peer takes its flights as one batch per process; then 1000 flights of 300
 * waypoints, what HTTP adds to one flight, and the fleet with parameters that need more than the vector loops.
 *
 * BENCH_PARTS=cases,fleet,many,http,parameters takes some of them, BENCH_PARAMETERS=vpm_activation,… some of the last.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type GivenParameters, MODEL_PARAMETERS } from '@contrails/engine/flights/parameter-table';
import { readTools, repositoryRoot } from '../test/support/tools.ts';
import { measureHttp } from './support/trajectory-http.ts';

const REFERENCE = join(repositoryRoot, '..', 'shared', 'reference', 'cocip');
const CASES = [
  'era5-01-tiny',
  'era5-02-histogram',
  'era5-03-empty',
  'gfs-01-default',
  'syn-01-a320-default',
  'syn-02-b738-constant-outside',
  'syn-03-b77w-explat-long',
  'syn-04-a20n-histogram-fine',
  'syn-05-a388-antimeridian',
  'syn-06-b77w-polar',
  'syn-07-coarse-nan',
  'syn-08-fleet',
  'syn-09-options-a',
  'syn-10-options-b',
];
const FLEET = 'bench/fleet-100.json';
const MIB = 2 ** 20;
/** Each alone; the first is the model as it is. */
const PARAMETER_SETS: Readonly<Record<string, GivenParameters>> = {
  defaults: {},
  radius_threshold_um: { radius_threshold_um: [2, 4, 7, 9, 11] },
  habit_distributions: { habit_distributions: MODEL_PARAMETERS.habit_distributions.default.toReversed() },
  unterstrasser_ice_survival: { unterstrasser_ice_survival_fraction: true },
  vpm_activation: { vpm_activation: true },
  radiative_heating_effects: { radiative_heating_effects: true },
  revised_contrail_ice_budget: { revised_contrail_ice_budget: true },
  parametric_rf_model_s2025: { parametric_rf_model_s2025: true },
  contrail_contrail_overlapping: { contrail_contrail_overlapping: true },
  'cubic-spline': { interpolation_q_method: 'cubic-spline' },
  'log-q-log-p': { interpolation_q_method: 'log-q-log-p' },
  single_precision_forcing: { single_precision_forcing: true },
};

interface Measured {
  readonly seconds: number;
  readonly firstSeconds?: number;
  readonly weatherBytes?: number;
  readonly energyForcing: readonly number[];
  readonly peakBytes: number;
}
interface MeasuredCases {
  readonly cases: Readonly<Record<string, { readonly seconds: number; readonly waypoints?: number } | null>>;
  readonly peakBytes: number;
}

const { python, missing } = readTools();
if (python === null) console.log(`no peer: ${missing.python ?? 'Python is not set up'}`);

const PARTS: Readonly<Record<string, () => void | Promise<void>>> = { cases, fleet, many, http, parameters };
for (const part of (process.env.BENCH_PARTS ?? Object.keys(PARTS).join()).split(',')) await PARTS[part]?.();

function cases(): void {
  if (!existsSync(REFERENCE)) {
    console.log('the cases are skipped: ../shared/reference is missing');
    return;
  }
  const own = ours<MeasuredCases>('cases', REFERENCE, ...CASES);
  const theirs = peer<MeasuredCases>('cases', REFERENCE, ...CASES);
  console.table(
    CASES.map((id) => {
      const [mine, other] = [own.cases[id], theirs?.cases[id]];
      return {
        case: id,
        waypoints: mine?.waypoints,
        ...beside('ms', 1000 * (mine?.seconds ?? Number.NaN), other ? 1000 * other.seconds : undefined),
      };
    }),
  );
  console.table([
    { what: 'peak memory', ...beside('MB', own.peakBytes / MIB, theirs && theirs.peakBytes / MIB) },
  ]);
}

function fleet(): void {
  if (!existsSync(REFERENCE)) {
    console.log('the fleet is skipped: ../shared/reference is missing');
    return;
  }
  const rows = ['1', '2'].flatMap((cores) => {
    const own = ours<Measured>('fleet', REFERENCE, FLEET, cores);
    const theirs = peer<Measured>('fleet', REFERENCE, FLEET, cores);
    if (theirs !== undefined) requireEqual(own.energyForcing, theirs.energyForcing);
    const what = `100 flights, ${cores === '1' ? 'one core' : 'two cores'}`;
    return [
      { what, ...beside('s', own.seconds, theirs?.seconds) },
      { what: `${what}, first run`, ...beside('s', own.firstSeconds ?? Number.NaN, theirs?.seconds) },
      {
        what: `${what}, peak memory`,
        ...beside('MB', own.peakBytes / MIB, theirs && theirs.peakBytes / MIB),
      },
    ];
  });
  console.table(rows);
}

function many(): void {
  const { seconds, peakBytes, weatherBytes = 0 } = ours<Measured>('many', '2');
  console.table([
    { what: '1000 flights of 300 waypoints, two cores, s', value: round(seconds), wanted: '< 60' },
    {
      what: 'memory beyond the weather, MB',
      value: round((peakBytes - weatherBytes) / MIB),
      wanted: '< 2048',
    },
  ]);
}

async function http(): Promise<void> {
  const { requestMs, computeMs, waypoints, contrailed } = await measureHttp();
  console.table([
    {
      what: `flight of ${waypoints} waypoints, ${contrailed} with contrails, in this process, ms`,
      value: round(computeMs),
      wanted: '',
    },
    { what: 'the same by HTTP, ms', value: round(requestMs), wanted: '' },
    { what: 'added, ms', value: round(requestMs - computeMs), wanted: '< 5' },
  ]);
}

interface MeasuredSets {
  readonly sets: Readonly<
    Record<
      string,
      { readonly singleSeconds: number; readonly seconds: number; readonly energyForcing: readonly number[] }
    >
  >;
}

function parameters(): void {
  if (!existsSync(REFERENCE)) {
    console.log('the parameters are skipped: ../shared/reference is missing');
    return;
  }
  const wanted = process.env.BENCH_PARAMETERS?.split(',');
  const sets = JSON.stringify(
    Object.fromEntries(Object.entries(PARAMETER_SETS).filter(([name]) => wanted?.includes(name) ?? true)),
  );
  const own = ours<MeasuredSets>('parameters', REFERENCE, FLEET, sets);
  const theirs = peer<MeasuredSets>('parameters', REFERENCE, FLEET, sets);
  const names = Object.keys(own.sets);
  for (const name of names) {
    const [mine, other] = [own.sets[name], theirs?.sets[name]];
    if (other !== undefined) requireEqual(mine?.energyForcing ?? [], other.energyForcing);
  }
  for (const [what, column] of [
    ['10 flights one by one, one core', 'singleSeconds'],
    ['100 flights at once, one core', 'seconds'],
  ] as const) {
    console.table(
      names.map((name) => {
        const [mine, other] = [own.sets[name], theirs?.sets[name]];
        return {
          [what]: name,
          ...beside('processor ms', 1000 * (mine?.[column] ?? 0), milliseconds(other?.[column])),
          // The peer works in the single precision of its files; test/peer compares both in double precision.
          'energy forcing deviates by':
            other && round(deviation(mine?.energyForcing ?? [], other.energyForcing)),
        };
      }),
    );
  }
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : 1000 * seconds;
}

function ours<T>(...args: string[]): T {
  const program = fileURLToPath(new URL('programs/trajectory.ts', import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, ['--no-warnings', program, ...args], { encoding: 'utf8' }),
  ) as T;
}

function peer<T>(...args: string[]): T | undefined {
  if (python === null) return undefined;
  const script = fileURLToPath(new URL('peer/trajectory.py', import.meta.url));
  const env = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  return JSON.parse(execFileSync(python, [script, ...args], { encoding: 'utf8', env })) as T;
}

function beside(unit: string, own: number, theirs: number | undefined) {
  return {
    [`ours, ${unit}`]: round(own),
    [`peer, ${unit}`]: theirs === undefined ? '–' : round(theirs),
    ratio: theirs === undefined ? '–' : round(theirs / own),
  };
}

/** Both computed the same: the peer works in the single precision of its files. */
function requireEqual(own: readonly number[], theirs: readonly number[]): void {
  const worst = deviation(own, theirs);
  if (!(worst < 1e-3))
    throw new Error(`the two did not compute the same: energy forcing deviates by ${worst}`);
}

/** The largest of all flights, as a share of the largest energy forcing. */
function deviation(own: readonly number[], theirs: readonly number[]): number {
  const magnitude = Math.max(...theirs.map(Math.abs));
  return Math.max(...own.map((joule, f) => Math.abs(joule - (theirs[f] ?? Number.NaN)))) / magnitude;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
