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
import { SEGMENT_NUMBER_NAMES, type SegmentNumberColumn, type SegmentNumbers } from './columns.ts';
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
  const out = Object.fromEntries(
    [...SEGMENT_NUMBER_NAMES, 'coKg', 'hcKg'].map((name) => [name, new Float64Array(count)]),
  ) as Record<SegmentNumberColumn | keyof SegmentExtras, Float64Array>;
  const scratch = () => new Float64Array(waypoints);
  const durationS = segmentDurationInto(scratch(), timeMs);
  const lengthM = segmentLengthInto(
    scratch(),
    segmentHaversineInto(scratch(), longitude, latitude),
    altitudeFt.map(feetToMetres),
  );
  const phase = flightPhaseInto(scratch(), rocdInto(scratch(), durationS, altitudeFt), altitudeFt);
  const at = (column: Float64Array, i: number) => column[i] as number;
  for (let i = 0; i < count; i++) {
    const fuel = at(model.fuel_flow, i) * at(durationS, i);
    const isLow = at(altitudeFt, i) <= WEATHER_FLOOR_FT;
    const isUnknown = Number.isNaN(at(model.rhi, i)) && !isLow;
    // Below the floor of the weather no contrail is looked for.
    const known = (value: number) => (isUnknown ? Number.NaN : Number.isNaN(value) && isLow ? 0 : value);
    const energyJ = known(at(model.energy_forcing, i));
    const age = at(model.contrail_age, i);
    out.waypoint[i] = i;
    out.time_start[i] = at(timeMs, i);
    out.time_end[i] = at(timeMs, i + 1);
    out.lat_start[i] = at(latitude, i);
    out.lon_start[i] = at(longitude, i);
    out.lat_end[i] = at(latitude, i + 1);
    out.lon_end[i] = at(longitude, i + 1);
    out.altitude_ft[i] = at(altitudeFt, i);
    out.altitude_end_ft[i] = at(altitudeFt, i + 1);
    out.chunk_len_km[i] = at(lengthM, i) / 1000;
    out.phase[i] = at(phase, i);
    out.true_airspeed_ms[i] = at(model.true_airspeed, i);
    out.fuel_flow_kg_s[i] = at(model.fuel_flow, i);
    out.thrust_n[i] = at(model.thrust, i);
    out.total_fuel_burn_kg[i] = fuel;
    out.total_co2_kg[i] = fuel * JET_A1.eiCo2;
    out.total_nox_kg[i] = fuel * at(model.nox_ei, i);
    out.coKg[i] = fuel * at(model.co_ei, i);
    out.hcKg[i] = fuel * at(model.hc_ei, i);
    out.total_nvpm_kg[i] = fuel * at(model.nvpm_ei_m, i);
    out.total_nvpm_giga_cnt[i] = (fuel * at(model.nvpm_ei_n, i)) / 1e9;
    out.mean_aircraft_mass_kg[i] = at(model.aircraft_mass, i);
    out.mean_overall_efficiency[i] = at(model.engine_efficiency, i);
    out.nvpm_ei_n[i] = at(model.nvpm_ei_n, i);
    out.nox_ei[i] = at(model.nox_ei, i);
    out.air_temperature[i] = at(model.air_temperature, i);
    out.rhi[i] = at(model.rhi, i);
    out.sac[i] = known(at(model.sac, i));
    out.initially_persistent[i] = known(at(model.initially_persistent, i));
    out.persistent[i] = energyJ !== 0 && !Number.isNaN(energyJ) ? 1 : 0;
    out.contrail_age_min[i] = isUnknown || Number.isNaN(age) ? 0 : age;
    out.sum_ef_mj[i] = energyJ / JOULES_PER_MJ;
    for (const horizon of CO2E_HORIZONS)
      out[`co2e${horizon}_kg`][i] = co2EquivalentKg(energyJ, horizon, co2eSet);
    out.imputed[i] = imputed[i] as number;
    out.gap_s[i] = at(gapS, i);
    out.quality[i] =
      (at(timeMs, i) < flight.firstReportMs ? FLIGHT_QUALITY.departurePointAdded : 0) |
      (at(timeMs, i) > flight.lastReportMs ? FLIGHT_QUALITY.arrivalPointAdded : 0) |
      (isUnknown ? FLIGHT_QUALITY.weatherGap : 0);
  }
  return out;
}
