/** The unit of the forecast's work and of its products: some levels at one hour of one run, for one aircraft. */
import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { MODELING_VERSION } from '../modeling-version.ts';
import { oneOf } from '../one-of.ts';
import type { HumidityScalingChoice } from '../weather/humidity-scaling.ts';
import {
  AIRCRAFT_CLASS_NAMES,
  aircraftName,
  COCIP_AIRCRAFT_TYPES,
  type GridAircraft,
  type PlannedAircraft,
} from './aircraft.ts';
import { FREE_SEGMENT, GRID_COCIP_PARAMS } from './cocip-model.ts';

const time = Type.Integer({ description: '[ms since 1970]' });

/** Everything that a part depends on, so that every worker makes the same of it whatever its own configuration. */
export const forecastPart = Type.Object({
  source: Type.String(),
  referenceTimeMs: time,
  validTimeMs: time,
  type: oneOf(COCIP_AIRCRAFT_TYPES),
  engineUid: Type.Optional(Type.String()),
  aircraftClass: Type.Optional(oneOf(AIRCRAFT_CLASS_NAMES)),
  flightLevels: Type.Array(Type.Integer()),
  cellsPerDegree: Type.Number(),
  humidityScaling: Type.Unsafe<HumidityScalingChoice>(Type.String()),
  /** Asked for by name, so that a newer run is no reason to leave it out. */
  evenIfOld: Type.Boolean(),
});

export type ForecastPart = Static<typeof forecastPart>;

type PartSettings = Pick<ForecastPart, 'cellsPerDegree' | 'humidityScaling'>;

/** Changes when the same weather would give other numbers. */
export function settingsDigest({ cellsPerDegree, humidityScaling }: PartSettings): string {
  const settings = [MODELING_VERSION, GRID_COCIP_PARAMS, FREE_SEGMENT, cellsPerDegree, humidityScaling];
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 8);
}

/** Kinds of products in the catalogue. */
export function cocipKind(aircraft: GridAircraft): string {
  return `cocip.${aircraftName(aircraft)}`;
}

export function indexKind(aircraftClass: string): string {
  return `contrails.${aircraftClass}`;
}

export function regionsKind(aircraftClass: string): string {
  return `regions.${aircraftClass}`;
}

/** Kinds of products that are made for an aircraft. */
export function kindsOf(aircraft: PlannedAircraft): string[] {
  const { aircraftClass } = aircraft;
  const forecast = aircraftClass === undefined ? [] : [indexKind(aircraftClass), regionsKind(aircraftClass)];
  return [cocipKind(aircraft), ...forecast];
}

/** The same part always has the same name: of its job, and of its products in the store. */
export function partName(part: ForecastPart): string {
  const { referenceTimeMs, validTimeMs, flightLevels } = part;
  const levels = `${flightLevels[0]}-${flightLevels.at(-1)}`;
  const aircraft = part.aircraftClass ?? aircraftName(part);
  return `${runName(referenceTimeMs)}/${hourName(validTimeMs)}/${aircraft}.${levels}.${settingsDigest(part)}`;
}

export function productKey(part: ForecastPart, kind: string, ending: string): string {
  const { referenceTimeMs, validTimeMs, flightLevels } = part;
  const levels = `${flightLevels[0]}-${flightLevels.at(-1)}`;
  return `forecast/${runName(referenceTimeMs)}/${hourName(validTimeMs)}/${kind}.${levels}.${settingsDigest(part)}.${ending}`;
}

/** Keys of all products of a part. */
export function productKeys(part: ForecastPart): string[] {
  const { aircraftClass } = part;
  const cocip = productKey(part, cocipKind(part), 'nc');
  if (aircraftClass === undefined) return [cocip];
  return [
    cocip,
    productKey(part, indexKind(aircraftClass), 'nc'),
    productKey(part, regionsKind(aircraftClass), 'geojson'),
  ];
}

/** Part of the keys in the store: all products of a run begin with it. */
function runName(referenceTimeMs: number): string {
  return hourName(referenceTimeMs);
}

/** `2026-01-01T0600` */
function hourName(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16).replace(':', '');
}
