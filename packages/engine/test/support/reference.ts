/** Golden cases with weather: the project has copies of some, the others lie in `../shared/reference`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Rejected } from '@contrails/runtime/options/rejected';
import { readReferenceLevels, readReferenceRadiation } from '../../../met/test/support/reference-met.ts';
import type { SharedWeather } from '../../src/flights/air.ts';
import type { RequestFleet } from '../../src/flights/fleet.ts';
import { needsOf } from '../../src/flights/needs.ts';
import { DEFAULT_TRAJECTORY_OPTIONS, type TrajectoryOptions } from '../../src/flights/options.ts';
import { readFleet } from '../../src/flights/read-fleet.ts';
import type { HumidityScalingChoice } from '../../src/weather/humidity-scaling.ts';

const PLACES = [
  new URL('../reference/', import.meta.url),
  new URL('../../../met/test/reference/', import.meta.url),
  new URL('../../../../../shared/reference/', import.meta.url),
];

/** Where a file of the reference is, or undefined when this checkout has not got it. */
export function referenceFile(path: string): URL | undefined {
  return PLACES.map((place) => new URL(path, place)).find((file) => existsSync(file));
}

/** Names of the files in a folder of the reference, wherever they are. */
export function listReference(folder: string): string[] {
  const places = PLACES.map((place) => new URL(folder, place)).filter((place) => existsSync(place));
  return [...new Set(places.flatMap((place) => readdirSync(place)))].sort();
}

export function readReference<T>(path: string): T | undefined {
  const file = referenceFile(path);
  return file && (JSON.parse(readFileSync(file, 'utf8')) as T);
}

/** The one crosses the antimeridian, the other goes around the pole. */
const wrapOf = (met: string) => (met.startsWith('antimeridian') ? 'region' : met.startsWith('polar'));
const opened = new Map<string, Promise<SharedWeather>>();

/** Weather of the reference in double precision, whole. */
export function referenceWeather(met: string, rad: string): Promise<SharedWeather> | undefined {
  const folder = met.includes('/') ? 'uncertainty/' : 'cocip/met/';
  const [levels, radiation] = [referenceFile(`${folder}${met}`), referenceFile(`${folder}${rad}`)];
  if (levels === undefined || radiation === undefined) return undefined;
  const known = opened.get(met) ?? readWeather(levels, radiation, wrapOf(met));
  opened.set(met, known);
  return known;
}

async function readWeather(levels: URL, radiation: URL, wrap: boolean | 'region'): Promise<SharedWeather> {
  return {
    levels: await readReferenceLevels(fileURLToPath(levels), wrap),
    radiation: await readReferenceRadiation(fileURLToPath(radiation), wrap),
  };
}

export function fleetOf(body: unknown): RequestFleet {
  const fleet = readFleet(body, needsOf('cocip', []));
  if (fleet instanceof Rejected) throw new Error(JSON.stringify(fleet.errors));
  return fleet;
}

/** The query of a case as options; the cases are computed at pressure levels. */
export function optionsOfCase(query: Readonly<Record<string, unknown>>): TrajectoryOptions {
  const name = (query.humidity_scaling as HumidityScalingChoice | undefined) ?? DEFAULT_SCALING;
  return {
    ...DEFAULT_TRAJECTORY_OPTIONS,
    scaling: { name, options: {} },
    maxAgeHours: Number(query.max_age_hours ?? 12),
    dtIntegrationMinutes: Number(query.dt_integration_minutes ?? 10),
  };
}

const DEFAULT_SCALING = 'exponential_boost_latitude_customization';

/** Deviations of energy forcing by waypoint, relative to |ef| + 1e−2 max|ef|, and of the sum relative to Σ|ef|. */
export function forcingDeviation(
  actual: ArrayLike<number>,
  expected: readonly (number | null)[],
): { waypoint: number; total: number } {
  const wanted = expected.map((value) => value ?? 0);
  const largest = Math.max(...wanted.map(Math.abs));
  const all = wanted.reduce((sum, value) => sum + Math.abs(value), 0);
  let [waypoint, difference] = [0, 0];
  wanted.forEach((value, i) => {
    const off = (actual[i] as number) - value;
    difference += off;
    if (off !== 0) waypoint = Math.max(waypoint, Math.abs(off) / (Math.abs(value) + 1e-2 * largest));
  });
  return { waypoint, total: difference === 0 ? 0 : Math.abs(difference) / all };
}
