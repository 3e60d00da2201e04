/** The row of a flight in the summary, from its segments. */

import { contrailMetrics } from '@contrails/physics/climate';
import { type Co2eSet, DEFAULT_CO2E_SET } from '@contrails/physics/cocip';
import { JET_A1 } from '@contrails/physics/emissions';
import { haversineM } from '@contrails/physics/geodesy';
import { HOUR_MS } from '@contrails/runtime';
import { FLIGHT_QUALITY } from '../build/quality.ts';
import type { SegmentNumbers, SummaryRow } from './columns.ts';
import type { FlightAirport, InventoryFlight, ModelFacts, ModelledMinutes } from './inventory-flight.ts';
import { derivedInto, emptySegments, type Segments } from './segments.ts';

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
/** A flight is partial where more of its segments are in unknown weather. */
const MAX_UNKNOWN_SHARE = 0.05;

/** What the minutes of a flight decide of its row. */
export interface FlightTotals
  extends SegmentTotals,
    Pick<
      SummaryRow,
      | 'median_altitude_ft'
      | 'max_altitude_ft'
      | 'total_fuel_burn_kg'
      | 'total_nox_kg'
      | 'total_co_kg'
      | 'total_hc_kg'
      | 'total_nvpm_kg'
      | 'total_nvpm_giga_cnt'
      | 'mean_nvpm_ein'
      | 'mean_aircraft_mass_kg'
      | 'mean_overall_efficiency'
      | 'takeoff_mass_kg'
      | 'mean_contrail_lifetime_h'
      | 'median_contrail_lifetime_h'
      | 'max_contrail_lifetime_h'
      | 'imputed_min'
    > {}

let memory: Segments = emptySegments(0);

/** Of the flight whose waypoints are those from `first` to `end` (not included) of the columns. */
export function flightTotals(
  minutes: ModelledMinutes,
  first: number,
  end: number,
  co2eSet: Co2eSet = DEFAULT_CO2E_SET,
): FlightTotals {
  const { timeMs, altitudeFt, imputed } = minutes.columns;
  const { nvpm_ei_n, aircraft_mass, engine_efficiency } = minutes.model;
  const count = Math.max(end - first - 1, 0);
  if (memory.waypoint.length < count) memory = emptySegments(2 * count);
  derivedInto(memory, 0, minutes, first, count, co2eSet);
  let imputedCount = 0;
  for (let i = 0; i < count; i++) imputedCount += imputed[first + i] as number;
  const altitudes = altitudeFt.slice(first, end).sort();
  const overTime = (values: Float64Array) => meanOverTime(values, timeMs, first, count);
  return {
    ...segmentTotals(memory, co2eSet, count),
    median_altitude_ft: Math.round(middleOf(altitudes) ?? 0),
    max_altitude_ft: Math.round(altitudes.at(-1) ?? Number.NEGATIVE_INFINITY),
    total_fuel_burn_kg: sumKnown(memory.total_fuel_burn_kg, count),
    total_nox_kg: sumKnown(memory.total_nox_kg, count),
    total_co_kg: sumKnown(memory.coKg, count),
    total_hc_kg: sumKnown(memory.hcKg, count),
    total_nvpm_kg: sumKnown(memory.total_nvpm_kg, count),
    total_nvpm_giga_cnt: sumKnown(memory.total_nvpm_giga_cnt, count),
    mean_nvpm_ein: weightedMean(nvpm_ei_n, first, memory.total_fuel_burn_kg, count),
    mean_aircraft_mass_kg: overTime(aircraft_mass),
    mean_overall_efficiency: overTime(engine_efficiency),
    takeoff_mass_kg: firstKnown(aircraft_mass, first, count),
    ...lifetimes(memory, count),
    imputed_min: imputedCount,
  };
}

export function summaryOf(
  flight: InventoryFlight,
  model: ModelFacts,
  totals: FlightTotals,
  run: RunLabel,
): SummaryRow {
  const { timeMs, longitude, latitude } = flight.columns;
  const last = timeMs.length - 1;
  const fuelKg = totals.total_fuel_burn_kg;
  const ofFuel = (index: number) => (fuelKg === null ? null : fuelKg * index);
  const hasWeatherGap = totals.seg_ef_nan_cnt > MAX_UNKNOWN_SHARE * totals.seg_cnt;
  const isPartial = flight.isPartial || hasWeatherGap;
  return {
    // First, because engines copy what comes first at once.
    ...totals,
    flight_id: flight.flightId,
    icao_address: flight.icaoAddress,
    imported: flight.imported !== undefined,
    source: flight.imported?.source ?? null,
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
    great_circle_km: greatCircleKm(flight),
    total_co2_kg: ofFuel(JET_A1.eiCo2),
    total_h2o_kg: ofFuel(JET_A1.eiH2o),
    total_so2_kg: ofFuel(JET_A1.eiSo2),
    total_sulphates_kg: ofFuel(JET_A1.eiSulphates),
    total_oc_kg: ofFuel(JET_A1.eiOrganicCarbon),
    passenger_load_factor: model.passengerLoadFactor,
    cargo_load_factor: model.cargoLoadFactor,
    nox_atr20_k: model.climate?.nox.atr20K ?? null,
    h2o_atr20_k: model.climate?.h2o.atr20K ?? null,
    nox_co2e20_kg: model.climate?.nox.co2e.gwp20 ?? null,
    nox_co2e50_kg: model.climate?.nox.co2e.gwp50 ?? null,
    nox_co2e100_kg: model.climate?.nox.co2e.gwp100 ?? null,
    h2o_co2e20_kg: model.climate?.h2o.co2e.gwp20 ?? null,
    h2o_co2e50_kg: model.climate?.h2o.co2e.gwp50 ?? null,
    h2o_co2e100_kg: model.climate?.h2o.co2e.gwp100 ?? null,
    accf_coverage: model.climate?.coverage ?? null,
    status: isPartial ? 'partial' : 'ok',
    dq_grade: isPartial ? 'D' : flight.grade,
    quality:
      flight.quality |
      (hasWeatherGap ? FLIGHT_QUALITY.weatherGap : 0) |
      (model.isTypeFromTable ? FLIGHT_QUALITY.typeFromRegistry : 0),
    waypoint_count_raw: flight.reportCount,
    waypoint_count_used: flight.usedCount,
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

type SegmentTotals = Pick<
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
  | `co2e_${'gtp' | 'atr'}${20 | 50 | 100}_kg`
>;

/** Counts, lengths and forcing of the first `count` segments. */
export function segmentTotals(
  segments: Pick<SegmentNumbers, 'chunk_len_km' | 'sac' | 'sum_ef_mj'>,
  co2eSet: Co2eSet = DEFAULT_CO2E_SET,
  count: number = segments.chunk_len_km.length,
): SegmentTotals {
  const { chunk_len_km, sac, sum_ef_mj } = segments;
  let [forced, warming, unknown] = [0, 0, 0];
  let [lengthKm, formedKm, persistentKm, warmingKm] = [0, 0, 0, 0];
  let [netMj, warmingMj, coolingMj] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
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
  const metrics = contrailMetrics(netMj * JOULES_PER_MJ, { efficacy: true, set: co2eSet });
  return {
    seg_cnt: count,
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
    co2e20_kg: metrics.gwp20,
    co2e50_kg: metrics.gwp50,
    co2e100_kg: metrics.gwp100,
    co2e_gtp20_kg: metrics.gtp20,
    co2e_gtp50_kg: metrics.gtp50,
    co2e_gtp100_kg: metrics.gtp100,
    co2e_atr20_kg: metrics.atr20,
    co2e_atr50_kg: metrics.atr50,
    co2e_atr100_kg: metrics.atr100,
  };
}

/** Sum of what is known of the first `count` values; null where nothing is. */
export function sumKnown(values: Float64Array, count: number = values.length): number | null {
  let [sum, isKnown] = [0, false];
  for (let i = 0; i < count; i++) {
    const value = values[i] as number;
    if (Number.isNaN(value)) continue;
    sum += value;
    isKnown = true;
  }
  return isKnown ? sum : null;
}

function firstKnown(values: Float64Array, first: number, count: number): number | null {
  for (let i = first; i < first + count; i++) if (!Number.isNaN(values[i])) return values[i] as number;
  return null;
}

/** Of the values from `first` on. */
function weightedMean(
  values: Float64Array,
  first: number,
  weights: Float64Array,
  count: number,
): number | null {
  let [sum, weight] = [0, 0];
  for (let i = 0; i < count; i++) {
    const product = (values[first + i] as number) * (weights[i] as number);
    if (Number.isNaN(product)) continue;
    sum += product;
    weight += weights[i] as number;
  }
  return weight > 0 ? sum / weight : null;
}

function meanOverTime(
  values: Float64Array,
  timeMs: Float64Array,
  first: number,
  count: number,
): number | null {
  let [sum, weight] = [0, 0];
  for (let i = first; i < first + count; i++) {
    const durationMs = (timeMs[i + 1] as number) - (timeMs[i] as number);
    const product = (values[i] as number) * durationMs;
    if (Number.isNaN(product)) continue;
    sum += product;
    weight += durationMs;
  }
  return weight > 0 ? sum / weight : null;
}

function lifetimes(
  { contrail_age_min, chunk_len_km }: SegmentNumbers,
  count: number,
): Pick<SummaryRow, 'mean_contrail_lifetime_h' | 'median_contrail_lifetime_h' | 'max_contrail_lifetime_h'> {
  const lives: number[] = [];
  for (let i = 0; i < count; i++) if ((contrail_age_min[i] as number) > 0) lives.push(i);
  const hours = Float64Array.from(lives, (i) => (contrail_age_min[i] as number) / HOUR_MIN);
  const lengthsKm = Float64Array.from(lives, (i) => chunk_len_km[i] as number);
  const mean = weightedMean(hours, 0, lengthsKm, lives.length);
  hours.sort();
  return {
    mean_contrail_lifetime_h: mean,
    median_contrail_lifetime_h: middleOf(hours),
    max_contrail_lifetime_h: hours.at(-1) ?? null,
  };
}

/** The median of values in ascending order. */
function middleOf(sorted: Float64Array): number | null {
  if (sorted.length === 0) return null;
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

/** The 27 states of the Union, Iceland, Liechtenstein, Norway, and the outermost regions that have their own codes. */
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
