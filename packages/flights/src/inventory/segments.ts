/** The segments of a flight: one for each minute, with what the models found at its start. */
import {
  flightPhaseInto,
  rocdInto,
  segmentDurationInto,
  segmentHaversineInto,
  segmentLengthInto,
} from '@contrails/physics/aircraft';
import { CO2E_HORIZONS, type Co2eSet, co2EquivalentKg, DEFAULT_CO2E_SET } from '@contrails/physics/cocip';
import { feetToMetres } from '@contrails/physics/common';
import { JET_A1 } from '@contrails/physics/emissions';
import { FLIGHT_QUALITY, WEATHER_FLOOR_FT } from '../build/quality.ts';
import { SEGMENT_NUMBER_NAMES, type SegmentNumbers } from './columns.ts';
import type { InventoryFlight, ModelledFlight } from './inventory-flight.ts';

const JOULES_PER_MJ = 1e6;

/** Emissions that the summary has and the segments have not. */
export interface SegmentExtras {
  readonly coKg: Float64Array;
  readonly hcKg: Float64Array;
}

/** Values of a waypoint belong to the segment that starts there; the last waypoint has none. */
export function segmentsOf(
  flight: Pick<InventoryFlight, 'columns' | 'firstReportMs' | 'lastReportMs'>,
  { columns: model }: Pick<ModelledFlight, 'columns'>,
  co2eSet: Co2eSet = DEFAULT_CO2E_SET,
): SegmentNumbers & SegmentExtras {
  const { timeMs, longitude, latitude, altitudeFt, gapS, imputed } = flight.columns;
  const waypoints = timeMs.length;
  const count = Math.max(waypoints - 1, 0);
  const out = emptySegments(count);
  const starts = (column: Float64Array | Uint8Array) => column.subarray(0, count);
  const ends = (column: Float64Array) => column.subarray(1, count + 1);
  out.time_start.set(starts(timeMs));
  out.time_end.set(ends(timeMs));
  out.lat_start.set(starts(latitude));
  out.lon_start.set(starts(longitude));
  out.lat_end.set(ends(latitude));
  out.lon_end.set(ends(longitude));
  out.altitude_ft.set(starts(altitudeFt));
  out.altitude_end_ft.set(ends(altitudeFt));
  out.true_airspeed_ms.set(starts(model.true_airspeed));
  out.fuel_flow_kg_s.set(starts(model.fuel_flow));
  out.thrust_n.set(starts(model.thrust));
  out.mean_aircraft_mass_kg.set(starts(model.aircraft_mass));
  out.mean_overall_efficiency.set(starts(model.engine_efficiency));
  out.nvpm_ei_n.set(starts(model.nvpm_ei_n));
  out.nox_ei.set(starts(model.nox_ei));
  out.air_temperature.set(starts(model.air_temperature));
  out.rhi.set(starts(model.rhi));
  out.imputed.set(starts(imputed));
  out.gap_s.set(starts(gapS));

  const scratch = () => new Float64Array(waypoints);
  const durationS = segmentDurationInto(scratch(), timeMs);
  const lengthM = segmentLengthInto(
    scratch(),
    segmentHaversineInto(scratch(), longitude, latitude),
    altitudeFt.map(feetToMetres),
  );
  const phase = flightPhaseInto(scratch(), rocdInto(scratch(), durationS, altitudeFt), altitudeFt);
  out.phase.set(starts(phase));
  emissionsInto(out, model, durationS);
  contrailsInto(out, model, co2eSet);
  for (let i = 0; i < count; i++) {
    const startMs = timeMs[i] as number;
    out.waypoint[i] = i;
    out.chunk_len_km[i] = (lengthM[i] as number) / 1000;
    out.quality[i] =
      (startMs < flight.firstReportMs ? FLIGHT_QUALITY.departurePointAdded : 0) |
      (startMs > flight.lastReportMs ? FLIGHT_QUALITY.arrivalPointAdded : 0) |
      (out.quality[i] as number);
  }
  return out;
}

type Segments = SegmentNumbers & SegmentExtras;

const NAMES = [...SEGMENT_NUMBER_NAMES, 'coKg', 'hcKg'] as const;

/** One piece of memory for all columns: forty pieces for each flight would keep the garbage collector busy. */
function emptySegments(count: number): Segments {
  const memory = new Float64Array(NAMES.length * count);
  return Object.fromEntries(
    NAMES.map((name, k) => [name, memory.subarray(k * count, (k + 1) * count)]),
  ) as Record<(typeof NAMES)[number], Float64Array>;
}

function emissionsInto(
  out: Segments,
  { fuel_flow, nox_ei, co_ei, hc_ei, nvpm_ei_m, nvpm_ei_n }: ModelledFlight['columns'],
  durationS: Float64Array,
): void {
  const { total_fuel_burn_kg, total_co2_kg, total_nox_kg, total_nvpm_kg, total_nvpm_giga_cnt, coKg, hcKg } =
    out;
  for (let i = 0; i < total_fuel_burn_kg.length; i++) {
    const fuel = (fuel_flow[i] as number) * (durationS[i] as number);
    total_fuel_burn_kg[i] = fuel;
    total_co2_kg[i] = fuel * JET_A1.eiCo2;
    total_nox_kg[i] = fuel * (nox_ei[i] as number);
    coKg[i] = fuel * (co_ei[i] as number);
    hcKg[i] = fuel * (hc_ei[i] as number);
    total_nvpm_kg[i] = fuel * (nvpm_ei_m[i] as number);
    total_nvpm_giga_cnt[i] = (fuel * (nvpm_ei_n[i] as number)) / 1e9;
  }
}

/** Also marks in `quality` where the weather is unknown. */
function contrailsInto(out: Segments, model: ModelledFlight['columns'], co2eSet: Co2eSet): void {
  const { altitude_ft, sac, initially_persistent, persistent, contrail_age_min, sum_ef_mj, quality } = out;
  const equivalents = CO2E_HORIZONS.map((horizon) => ({ horizon, column: out[`co2e${horizon}_kg`] }));
  for (let i = 0; i < altitude_ft.length; i++) {
    const isLow = (altitude_ft[i] as number) <= WEATHER_FLOOR_FT;
    const isUnknown = Number.isNaN(model.rhi[i]) && !isLow;
    // Below the floor of the weather no contrail is looked for.
    const known = (value: number) => (isUnknown ? Number.NaN : Number.isNaN(value) && isLow ? 0 : value);
    const energyJ = known(model.energy_forcing[i] as number);
    const age = model.contrail_age[i] as number;
    sac[i] = known(model.sac[i] as number);
    initially_persistent[i] = known(model.initially_persistent[i] as number);
    persistent[i] = energyJ !== 0 && !Number.isNaN(energyJ) ? 1 : 0;
    contrail_age_min[i] = isUnknown || Number.isNaN(age) ? 0 : age;
    sum_ef_mj[i] = energyJ / JOULES_PER_MJ;
    quality[i] = isUnknown ? FLIGHT_QUALITY.weatherGap : 0;
    for (const { horizon, column } of equivalents) column[i] = co2EquivalentKg(energyJ, horizon, co2eSet);
  }
}
