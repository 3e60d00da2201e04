/** The row of a flight in the summary, from its segments. */

import { type Co2eSet, co2EquivalentKg, DEFAULT_CO2E_SET } from '@contrails/physics/cocip';
import { JET_A1 } from '@contrails/physics/emissions';
import { haversineM } from '@contrails/physics/geodesy';
import { HOUR_MS } from '@contrails/runtime';
import { FLIGHT_QUALITY } from '../build/quality.ts';
import type { SegmentNumbers, SummaryRow } from './columns.ts';
import type { FlightAirport, InventoryFlight, ModelledFlight } from './inventory-flight.ts';
import type { SegmentExtras } from './segments.ts';

/** What holds for all flights of a run. */
export interface RunLabel {
  readonly runId: string;
  readonly configHash: string;
  readonly modelingVersion: string;
  /** Start of the run [ms since 1970]. */
  readonly processedMs: number;
}

const HOUR_MIN = 60;
const JOULES_PER_MJ = 1e6;
/** A flight is partial where more of its segments lie in unknown weather. */
const MAX_UNKNOWN_SHARE = 0.05;

export function summaryOf(
  flight: InventoryFlight,
  model: ModelledFlight,
  segments: SegmentNumbers & SegmentExtras,
  run: RunLabel,
  co2eSet: Co2eSet = DEFAULT_CO2E_SET,
): SummaryRow {
  const { timeMs, longitude, latitude, altitudeFt, imputed } = flight.columns;
  const last = timeMs.length - 1;
  const totals = segmentTotals(segments, co2eSet);
  const fuelKg = sumKnown(segments.total_fuel_burn_kg);
  const ofFuel = (index: number) => (fuelKg === null ? null : fuelKg * index);
  const hasWeatherGap = totals.seg_ef_nan_cnt > MAX_UNKNOWN_SHARE * totals.seg_cnt;
  const isPartial = flight.isPartial || hasWeatherGap;
  return {
    flight_id: flight.flightId,
    icao_address: flight.icaoAddress,
    callsign: flight.callsign,
    tail_number: flight.tailNumber,
    flight_number: flight.flightNumber,
    airline_iata: flight.airlineIata,
    aircraft_type_icao: model.aircraftType,
    engine_uid: model.engineUid,
    performance_type: model.performanceType,
    engine_source: model.engineSource,
    departure_airport_icao: flight.departureIcao,
    arrival_airport_icao: flight.arrivalIcao,
    departure_country_iso: flight.departure?.country ?? null,
    arrival_country_iso: flight.arrival?.country ?? null,
    departure_continent_iso: flight.departure?.continent ?? null,
    arrival_continent_iso: flight.arrival?.continent ?? null,
    departure_scheduled_time: flight.departureScheduledMs,
    arrival_scheduled_time: flight.arrivalScheduledMs,
    is_eu_mrv: isEuMrv(flight.departure?.country, flight.arrival?.country),
    time_start: timeMs[0] as number,
    time_end: timeMs[last] as number,
    flight_duration_h: ((timeMs[last] as number) - (timeMs[0] as number)) / HOUR_MS,
    lat_start: latitude[0] as number,
    lon_start: longitude[0] as number,
    lat_end: latitude[last] as number,
    lon_end: longitude[last] as number,
    ...totals,
    great_circle_km: greatCircleKm(flight),
    median_altitude_ft: Math.round(median(altitudeFt) ?? 0),
    max_altitude_ft: Math.round(altitudeFt.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)),
    total_fuel_burn_kg: fuelKg,
    total_co2_kg: ofFuel(JET_A1.eiCo2),
    total_h2o_kg: ofFuel(JET_A1.eiH2o),
    total_so2_kg: ofFuel(JET_A1.eiSo2),
    total_sulphates_kg: ofFuel(JET_A1.eiSulphates),
    total_oc_kg: ofFuel(JET_A1.eiOrganicCarbon),
    total_nox_kg: sumKnown(segments.total_nox_kg),
    total_co_kg: sumKnown(segments.coKg),
    total_hc_kg: sumKnown(segments.hcKg),
    total_nvpm_kg: sumKnown(segments.total_nvpm_kg),
    total_nvpm_giga_cnt: sumKnown(segments.total_nvpm_giga_cnt),
    mean_nvpm_ein: weightedMean(segments.nvpm_ei_n, segments.total_fuel_burn_kg),
    mean_aircraft_mass_kg: meanOverTime(segments.mean_aircraft_mass_kg, segments),
    mean_overall_efficiency: meanOverTime(segments.mean_overall_efficiency, segments),
    takeoff_mass_kg: segments.mean_aircraft_mass_kg.find((mass) => !Number.isNaN(mass)) ?? null,
    passenger_load_factor: model.passengerLoadFactor,
    cargo_load_factor: model.cargoLoadFactor,
    ...lifetimes(segments),
    status: isPartial ? 'partial' : 'ok',
    dq_grade: isPartial ? 'D' : flight.grade,
    quality:
      flight.quality |
      (hasWeatherGap ? FLIGHT_QUALITY.weatherGap : 0) |
      (model.isTypeFromTable ? FLIGHT_QUALITY.typeFromRegistry : 0),
    waypoint_count_raw: flight.reportCount,
    waypoint_count_used: flight.usedCount,
    imputed_min: imputed.subarray(0, last).reduce((sum, flag) => sum + flag, 0),
    max_gap_min: flight.maxGapS / 60,
    satellite_fraction: flight.satelliteShare,
    modeling_version: run.modelingVersion,
    perf_model_id: 'PS',
    nvpm_data_source: model.nvpmDataSource,
    met_source_dataset: model.metSourceDataset,
    met_days: model.metDays,
    run_id: run.runId,
    config_hash: run.configHash,
    processed_at: run.processedMs,
  };
}

/** Counts, lengths and forcing. */
export function segmentTotals(
  segments: Pick<SegmentNumbers, 'chunk_len_km' | 'sac' | 'sum_ef_mj'>,
  co2eSet: Co2eSet = DEFAULT_CO2E_SET,
): Pick<
  SummaryRow,
  | 'seg_cnt'
  | 'seg_ef_cnt'
  | 'seg_pos_ef_cnt'
  | 'seg_ef_nan_cnt'
  | 'chunk_len_km'
  | 'total_contrail_length_sac_km'
  | 'total_persistent_contrail_length_km'
  | 'total_pos_ef_persistent_contrail_length_km'
  | 'sum_ef_mj'
  | 'ef_warming_mj'
  | 'ef_cooling_mj'
  | 'ef_mj_per_km'
  | 'co2e20_kg'
  | 'co2e50_kg'
  | 'co2e100_kg'
> {
  const { chunk_len_km, sac, sum_ef_mj } = segments;
  let [forced, warming, unknown] = [0, 0, 0];
  let [lengthKm, formedKm, persistentKm, warmingKm] = [0, 0, 0, 0];
  let [netMj, warmingMj, coolingMj] = [0, 0, 0];
  for (let i = 0; i < chunk_len_km.length; i++) {
    const km = chunk_len_km[i] as number;
    const mj = sum_ef_mj[i] as number;
    lengthKm += km;
    if (sac[i] === 1) formedKm += km;
    if (Number.isNaN(mj)) {
      unknown++;
    } else if (mj !== 0) {
      forced++;
      persistentKm += km;
      netMj += mj;
      if (mj > 0) {
        warming++;
        warmingKm += km;
        warmingMj += mj;
      } else {
        coolingMj += mj;
      }
    }
  }
  const equivalent = (horizon: 20 | 50 | 100) => co2EquivalentKg(netMj * JOULES_PER_MJ, horizon, co2eSet);
  return {
    seg_cnt: chunk_len_km.length,
    seg_ef_cnt: forced,
    seg_pos_ef_cnt: warming,
    seg_ef_nan_cnt: unknown,
    chunk_len_km: lengthKm,
    total_contrail_length_sac_km: formedKm,
    total_persistent_contrail_length_km: persistentKm,
    total_pos_ef_persistent_contrail_length_km: warmingKm,
    sum_ef_mj: netMj,
    ef_warming_mj: warmingMj,
    ef_cooling_mj: coolingMj,
    ef_mj_per_km: lengthKm === 0 ? 0 : netMj / lengthKm,
    co2e20_kg: equivalent(20),
    co2e50_kg: equivalent(50),
    co2e100_kg: equivalent(100),
  };
}

/** Sum of what is known; null where nothing is. */
export function sumKnown(values: Float64Array): number | null {
  let [sum, isKnown] = [0, false];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (Number.isNaN(value)) continue;
    sum += value;
    isKnown = true;
  }
  return isKnown ? sum : null;
}

function weightedMean(values: Float64Array, weights: Float64Array): number | null {
  let [sum, weight] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const product = (values[i] as number) * (weights[i] as number);
    if (Number.isNaN(product)) continue;
    sum += product;
    weight += weights[i] as number;
  }
  return weight > 0 ? sum / weight : null;
}

function meanOverTime(values: Float64Array, { time_start, time_end }: SegmentNumbers): number | null {
  return weightedMean(
    values,
    time_start.map((start, i) => (time_end[i] as number) - start),
  );
}

function lifetimes({
  contrail_age_min,
  chunk_len_km,
}: SegmentNumbers): Pick<
  SummaryRow,
  'mean_contrail_lifetime_h' | 'median_contrail_lifetime_h' | 'max_contrail_lifetime_h'
> {
  const lives = (_: number, i: number) => (contrail_age_min[i] as number) > 0;
  const hours = contrail_age_min.filter(lives).map((minutes) => minutes / HOUR_MIN);
  return {
    mean_contrail_lifetime_h: weightedMean(hours, chunk_len_km.filter(lives)),
    median_contrail_lifetime_h: median(hours),
    max_contrail_lifetime_h: hours.length === 0 ? null : hours.reduce((a, b) => Math.max(a, b)),
  };
}

function median(values: Float64Array): number | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  const upper = sorted[half] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] as number)) / 2;
}

function greatCircleKm({ departure, arrival, columns: { longitude, latitude } }: InventoryFlight): number {
  const last = longitude.length - 1;
  const end = (airport: FlightAirport | null, i: number) =>
    airport ?? { longitude: longitude[i] as number, latitude: latitude[i] as number };
  // Between the airports only where both are known: a mixture of the two would be neither.
  const isKnown = departure !== null && arrival !== null;
  const [from, to] = [end(isKnown ? departure : null, 0), end(isKnown ? arrival : null, last)];
  return haversineM(from.longitude, from.latitude, to.longitude, to.latitude) / 1000;
}

/** The 27 states of the Union, Iceland, Liechtenstein, Norway, and the outermost regions that have codes of their own. */
const EEA: ReadonlySet<string> = new Set(
  (
    'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK ' +
    'IS LI NO GF GP MQ RE YT MF'
  ).split(' '),
);

/** Whether a flight is in the scope of the EU's monitoring of 2025 and 2026; null when a country is unknown. */
export function isEuMrv(
  departure: string | null | undefined,
  arrival: string | null | undefined,
): boolean | null {
  if (departure == null || arrival == null) return null;
  return EEA.has(departure) && (EEA.has(arrival) || arrival === 'CH' || arrival === 'GB');
}
