/** The segments of a flight: one for each minute, with what the models found at its start. */
import { flightPhase, rocdFtMin, segmentHaversineInto } from '@contrails/physics/aircraft';
import { type Co2eSet, co2EquivalentKg, DEFAULT_CO2E_SET } from '@contrails/physics/cocip';
import { feetToMetres } from '@contrails/physics/common';
import { JET_A1 } from '@contrails/physics/emissions';
import { FLIGHT_QUALITY, WEATHER_FLOOR_FT } from '../build/quality.ts';
import { SEGMENT_NUMBER_NAMES, type SegmentNumbers } from './columns.ts';
import type { FlightMinutes, ModelColumns, ModelledMinutes } from './inventory-flight.ts';

const JOULES_PER_MJ = 1e6;

/** Emissions that the summary has and the segments have not. */
interface SegmentExtras {
  readonly coKg: Float64Array;
  readonly hcKg: Float64Array;
}

/** Memory for the segments of flights or parts of them. */
export type Segments = SegmentNumbers & SegmentExtras;

const NAMES = [...SEGMENT_NUMBER_NAMES, 'coKg', 'hcKg'] as const;

/** One piece of memory for all columns: forty pieces would keep the garbage collector busy. */
export function emptySegments(rows: number): Segments {
  const memory = new Float64Array(NAMES.length * rows);
  return Object.fromEntries(
    NAMES.map((name, k) => [name, memory.subarray(k * rows, (k + 1) * rows)]),
  ) as Record<(typeof NAMES)[number], Float64Array>;
}

/** Some segments of one flight, by the waypoints at which they start: `from` to `to` (not included), as indices in the columns. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** The first waypoint of the flight. */
  readonly first: number;
  /** First and last report of the flight [ms since 1970]. */
  readonly firstReportMs: number;
  readonly lastReportMs: number;
}

/**
 * Writes segments to the rows from `at` on. Values of a waypoint belong to the segment that starts there, so the last
 * waypoint of a flight has none. A segment depends on its two waypoints alone: it is the same in any stretch.
 */
export function segmentsInto(
  out: Segments,
  at: number,
  { columns, model }: ModelledMinutes,
  { from, to, first, firstReportMs, lastReportMs }: Stretch,
  co2eSet: Co2eSet = DEFAULT_CO2E_SET,
): void {
  const { timeMs, longitude, latitude, altitudeFt, gapS, imputed } = columns;
  const count = to - from;
  copyInto(out.time_start, at, timeMs, from, count);
  copyInto(out.time_end, at, timeMs, from + 1, count);
  copyInto(out.lat_start, at, latitude, from, count);
  copyInto(out.lon_start, at, longitude, from, count);
  copyInto(out.lat_end, at, latitude, from + 1, count);
  copyInto(out.lon_end, at, longitude, from + 1, count);
  copyInto(out.altitude_ft, at, altitudeFt, from, count);
  copyInto(out.altitude_end_ft, at, altitudeFt, from + 1, count);
  copyInto(out.true_airspeed_ms, at, model.true_airspeed, from, count);
  copyInto(out.fuel_flow_kg_s, at, model.fuel_flow, from, count);
  copyInto(out.thrust_n, at, model.thrust, from, count);
  copyInto(out.mean_aircraft_mass_kg, at, model.aircraft_mass, from, count);
  copyInto(out.mean_overall_efficiency, at, model.engine_efficiency, from, count);
  copyInto(out.nvpm_ei_n, at, model.nvpm_ei_n, from, count);
  copyInto(out.nox_ei, at, model.nox_ei, from, count);
  copyInto(out.air_temperature, at, model.air_temperature, from, count);
  copyInto(out.rhi, at, model.rhi, from, count);
  copyInto(out.gap_s, at, gapS, from, count);

  const { waypoint, imputed: isImputed } = out;
  for (let i = 0; i < count; i++) {
    waypoint[at + i] = from + i - first;
    isImputed[at + i] = imputed[from + i] as number;
  }
  derivedInto(out, at, { columns, model }, from, count, co2eSet);
  const { time_start, quality } = out;
  for (let row = at; row < at + count; row++) {
    const startMs = time_start[row] as number;
    quality[row] =
      (startMs < firstReportMs ? FLIGHT_QUALITY.departurePointAdded : 0) |
      (startMs > lastReportMs ? FLIGHT_QUALITY.arrivalPointAdded : 0) |
      (quality[row] as number);
  }
}

/** Only what is computed from the waypoints, not what is copied from them. */
export function derivedInto(
  out: Segments,
  at: number,
  { columns, model }: ModelledMinutes,
  from: number,
  count: number,
  co2eSet: Co2eSet,
): void {
  motionInto(out, at, columns, from, count);
  emissionsInto(out, at, columns, model, from, count);
  contrailsInto(out, at, columns, model, from, count, co2eSet);
}

/** Faster than to copy parts as a whole, because most stretches are short. */
function copyInto(out: Float64Array, at: number, values: Float64Array, from: number, count: number): void {
  for (let i = 0; i < count; i++) out[at + i] = values[from + i] as number;
}

let haversineM = new Float64Array(0);

/** Length and phase. */
function motionInto(
  { chunk_len_km, phase }: Segments,
  at: number,
  { timeMs, longitude, latitude, altitudeFt }: FlightMinutes,
  from: number,
  count: number,
): void {
  if (haversineM.length <= count) haversineM = new Float64Array(2 * count + 1);
  const waypoints = (column: Float64Array) => column.subarray(from, from + count + 1);
  segmentHaversineInto(haversineM.subarray(0, count + 1), waypoints(longitude), waypoints(latitude));
  for (let i = 0; i < count; i++) {
    const startFt = altitudeFt[from + i] as number;
    const endFt = altitudeFt[from + i + 1] as number;
    const flatM = haversineM[i] as number;
    const riseM = feetToMetres(endFt) - feetToMetres(startFt);
    const rocd = rocdFtMin(startFt, endFt, durationS(timeMs, from + i));
    chunk_len_km[at + i] = Math.sqrt(flatM * flatM + riseM * riseM) / 1000;
    phase[at + i] = flightPhase(rocd, startFt);
  }
}

function durationS(timeMs: Float64Array, waypoint: number): number {
  return ((timeMs[waypoint + 1] as number) - (timeMs[waypoint] as number)) / 1000;
}

function emissionsInto(
  out: Segments,
  at: number,
  { timeMs }: FlightMinutes,
  { fuel_flow, nox_ei, co_ei, hc_ei, nvpm_ei_m, nvpm_ei_n }: ModelColumns,
  from: number,
  count: number,
): void {
  const { total_fuel_burn_kg, total_co2_kg, total_nox_kg, total_nvpm_kg, total_nvpm_giga_cnt, coKg, hcKg } =
    out;
  for (let i = 0; i < count; i++) {
    const waypoint = from + i;
    const fuel = (fuel_flow[waypoint] as number) * durationS(timeMs, waypoint);
    total_fuel_burn_kg[at + i] = fuel;
    total_co2_kg[at + i] = fuel * JET_A1.eiCo2;
    total_nox_kg[at + i] = fuel * (nox_ei[waypoint] as number);
    coKg[at + i] = fuel * (co_ei[waypoint] as number);
    hcKg[at + i] = fuel * (hc_ei[waypoint] as number);
    total_nvpm_kg[at + i] = fuel * (nvpm_ei_m[waypoint] as number);
    total_nvpm_giga_cnt[at + i] = (fuel * (nvpm_ei_n[waypoint] as number)) / 1e9;
  }
}

/** Also marks in `quality` where the weather is unknown. */
function contrailsInto(
  out: Segments,
  at: number,
  { altitudeFt }: FlightMinutes,
  { rhi, sac, initially_persistent, energy_forcing, contrail_age }: ModelColumns,
  from: number,
  count: number,
  co2eSet: Co2eSet,
): void {
  const { co2e20_kg, co2e50_kg, co2e100_kg, persistent, contrail_age_min, sum_ef_mj, quality } = out;
  for (let i = 0; i < count; i++) {
    const row = at + i;
    const waypoint = from + i;
    const isLow = (altitudeFt[waypoint] as number) <= WEATHER_FLOOR_FT;
    const isUnknown = Number.isNaN(rhi[waypoint]) && !isLow;
    const energyJ = known(energy_forcing[waypoint] as number, isUnknown, isLow);
    const age = contrail_age[waypoint] as number;
    out.sac[row] = known(sac[waypoint] as number, isUnknown, isLow);
    out.initially_persistent[row] = known(initially_persistent[waypoint] as number, isUnknown, isLow);
    persistent[row] = energyJ !== 0 && !Number.isNaN(energyJ) ? 1 : 0;
    contrail_age_min[row] = isUnknown || Number.isNaN(age) ? 0 : age;
    sum_ef_mj[row] = energyJ / JOULES_PER_MJ;
    // Most segments have no contrail.
    const hasNone = energyJ === 0;
    co2e20_kg[row] = hasNone ? energyJ : co2EquivalentKg(energyJ, 20, co2eSet);
    co2e50_kg[row] = hasNone ? energyJ : co2EquivalentKg(energyJ, 50, co2eSet);
    co2e100_kg[row] = hasNone ? energyJ : co2EquivalentKg(energyJ, 100, co2eSet);
    quality[row] = isUnknown ? FLIGHT_QUALITY.weatherGap : 0;
  }
}

/** Below the floor of the weather no contrail is looked for. */
function known(value: number, isUnknown: boolean, isLow: boolean): number {
  return isUnknown ? Number.NaN : Number.isNaN(value) && isLow ? 0 : value;
}
