/**
 * Random flights over the synthetic atmosphere through our models and through pycontrails. Writes docs/validation.md and
 * fails when a deviation is larger than it may be.
 *
 * PEER_FLIGHTS makes it shorter; the page is then not written.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenWeather } from '@contrails/met';
import { levelFromAltitudeFt, relativeHumidityIce } from '@contrails/physics/atmosphere';
import { HOUR_MS } from '@contrails/runtime';
import { readTools, repositoryRoot } from '../support/tools.ts';
import { type Comparison, compareFlights, type PeerResult } from './trajectories/compare.ts';
import { type IsMoist, type PeerFlight, randomFlights } from './trajectories/flights.ts';
import { flightRunner } from './trajectories/ours.ts';
import { type Limits, type SetReport, validationPage } from './trajectories/report.ts';
import { prepareWeather } from './trajectories/weather.ts';

const FLIGHTS = 200;
const SEED = 1;
const RESOLUTION_DEG = 2.5;
const FIRST_TIME_MS = Date.UTC(2024, 2, 20);
/** Flights begin within twelve hours, take ten at most, and contrails live for twenty. */
const HOURS = 43;

const SETS = [
  {
    name: 'Defaults of the service',
    about:
      'Steps of 10 min, contrails of up to 12 h, humidity scaled by the latitude-customised exponential boost.',
    options: {
      scaling: { name: 'exponential_boost_latitude_customization', options: {} },
      maxAgeHours: 12,
      dtIntegrationMinutes: 10,
    },
  },
  {
    name: 'Defaults of the reference',
    about: 'Steps of 30 min, contrails of up to 20 h, humidity not scaled.',
    options: { scaling: { name: 'none', options: {} }, maxAgeHours: 20, dtIntegrationMinutes: 30 },
  },
] as const;

/** What may deviate by how much; flags and ages not at all. */
const LIMITS: Limits = {
  air: 1e-7,
  // Eight weights, products and sums in single precision, each off by 6e-8 at most.
  apart: 5e-7,
  flights: 1e-5,
};

const { python, missing } = readTools();
if (python === null)
  throw new Error(`pycontrails cannot be run: ${missing.python ?? 'Python is not set up'}`);

const count = Number(process.env.PEER_FLIGHTS ?? FLIGHTS);
const folder = mkdtempSync(join(tmpdir(), 'contrails peer '));
try {
  const lastMs = FIRST_TIME_MS + HOURS * HOUR_MS;
  const weather = await prepareWeather(folder, RESOLUTION_DEG, [FIRST_TIME_MS, lastMs]);
  const flights = randomFlights(count, SEED, FIRST_TIME_MS / 1000, moistureOf(weather));
  const ours = SETS.map(({ options }) => flights.map(flightRunner(weather, options)));
  await weather.close();
  const version = runPeer(folder, python, flights);
  const sets: SetReport[] = SETS.map(({ name, about }, s) => {
    const own = ours[s] ?? [];
    return { name, about, ours: own, comparison: compareFlights(own, readPeer(folder, s)) };
  });
  const page = validationPage(flights, sets, version, LIMITS);
  console.log(page);
  const faults = sets.flatMap(({ name, comparison: { exact, air, apart, flights: totals } }) => [
    ...beyond(name, exact, 0),
    ...beyond(name, air, LIMITS.air),
    ...beyond(name, [apart], LIMITS.apart),
    ...beyond(name, [totals], LIMITS.flights),
  ]);
  for (const fault of faults) console.error(fault);
  if (count === FLIGHTS && faults.length === 0)
    writeFileSync(join(repositoryRoot, 'docs', 'validation.md'), page);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function moistureOf({ weather }: OpenWeather): IsMoist {
  const out = Array.from({ length: 4 }, () => new Float64Array(1));
  return (longitude, latitude, altitudeFt, timeS) => {
    const level = levelFromAltitudeFt(altitudeFt);
    const [at, on] = [Float64Array.of(longitude), Float64Array.of(latitude)];
    const point = {
      longitude: at,
      latitude: on,
      level: Float64Array.of(level),
      timeMs: Float64Array.of(1000 * timeS),
    };
    weather.sample(out, point, 1);
    const [temperature, , , humidity] = out.map(([value]) => value ?? Number.NaN);
    return relativeHumidityIce(humidity as number, temperature as number, 100 * level) > 1.02;
  };
}

function runPeer(directory: string, command: string, flights: readonly PeerFlight[]): string {
  const params = SETS.map(({ options }, s) => ({
    name: String(s),
    scaling: options.scaling.name,
    dt_integration_s: 60 * options.dtIntegrationMinutes,
    max_age_s: 3600 * options.maxAgeHours,
  }));
  writeFileSync(join(directory, 'flights.json'), JSON.stringify(flights));
  writeFileSync(join(directory, 'params.json'), JSON.stringify(params));
  const script = join(import.meta.dirname, 'trajectories', 'peer.py');
  const oneThreadEach = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  return execFileSync(command, [script, directory], {
    encoding: 'utf8',
    env: { ...process.env, ...oneThreadEach },
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

function readPeer(directory: string, set: number): PeerResult[] {
  const lines = readFileSync(join(directory, `${set}.ndjson`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as PeerResult);
}

function beyond(set: string, comparisons: readonly Comparison[], limit: number): string[] {
  return comparisons.flatMap(({ what, worst, unmatched }) => {
    const faults = unmatched > 0 ? [`${set}: ${what}: ${unmatched} values that only one side has`] : [];
    if (worst !== undefined && worst.relative > limit) {
      const { flight, waypoint, ours: own, peer, relative } = worst;
      const where = `flight ${flight}, waypoint ${waypoint}`;
      faults.push(`${set}: ${what} deviates by ${relative} at ${where}: ${own} instead of ${peer}`);
    }
    return faults;
  });
}
