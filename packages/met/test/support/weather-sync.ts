/** The mirrors of weather sources with the values that they hold. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../reference/weather-sync/', import.meta.url));
export const treePath = (...parts: readonly string[]): string => [`${ROOT}tree`, ...parts].join('/');

export interface ExpectedPoint {
  readonly time: string;
  readonly longitude: number;
  readonly latitude: number;
  readonly level: number;
  readonly values: Readonly<Record<string, number>>;
}

export interface ExpectedSource {
  readonly source: string;
  readonly run: string | null;
  readonly levels: readonly number[];
  readonly steps: readonly number[];
  readonly radiation: 'estimated' | 'means' | 'none';
  readonly missing: readonly string[];
  readonly points: readonly ExpectedPoint[];
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(`${ROOT}${name}`, 'utf8')) as T;
}

export const expected = readJson<Readonly<Record<string, ExpectedSource>>>('expected.json');

/** Half a unit of packing. */
const PACKING: Readonly<Record<string, number>> = {
  air_temperature: 0.02,
  specific_humidity: 2e-9,
  eastward_wind: 5e-3,
  northward_wind: 5e-3,
  vertical_velocity: 2e-4,
  geopotential: 3,
  specific_cloud_ice_water_content: 2e-9,
  sdr: 0.1,
  rsr: 0.1,
  olr: 0.1,
};

/** The largest difference that counts as equal. */
export function toleranceOf(variable: string, value: number): number {
  return 2e-4 * Math.abs(value) + (PACKING[variable] ?? 0);
}
