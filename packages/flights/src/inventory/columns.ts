/**
 * The columns of the inventory, declared once: the types of rows, the schema of the Parquet files and the tables of the
 * guide come from here.
 */

/** Types of Parquet; timestamps have microseconds and no zone. */
export type ColumnType = 'string' | 'int8' | 'int32' | 'float' | 'double' | 'bool' | 'timestamp';

export interface ColumnSpec {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable?: true;
  /** Absent for names, codes and counts. */
  readonly unit?: string;
  readonly meaning: string;
}

/** Columns that name the airframe, and those that name the flight; both tables have them. */
const AIRFRAME_COLUMNS = [
  { name: 'flight_id', type: 'string', meaning: 'identifier of the flight' },
  {
    name: 'icao_address',
    type: 'string',
    meaning: '24-bit address of the transponder, six hexadecimal digits',
  },
  { name: 'callsign', type: 'string', nullable: true, meaning: 'callsign' },
] as const satisfies readonly ColumnSpec[];
const FLIGHT_COLUMNS = [
  {
    name: 'flight_number',
    type: 'string',
    nullable: true,
    meaning: 'flight number with the prefix of the airline',
  },
  { name: 'airline_iata', type: 'string', nullable: true, meaning: 'IATA code of the airline' },
  {
    name: 'aircraft_type_icao',
    type: 'string',
    meaning: 'ICAO type designator, as reported or from the airframe table',
  },
  { name: 'engine_uid', type: 'string', meaning: 'engine in the ICAO emissions databank that was used' },
] as const satisfies readonly ColumnSpec[];

/** Columns of a segment that are the same on all segments of a flight. */
const SEGMENT_FLIGHT_COLUMNS = [...AIRFRAME_COLUMNS, ...FLIGHT_COLUMNS] as const;

/** Numeric columns of the segment itself. */
const SEGMENT_NUMBER_COLUMNS = [
  { name: 'waypoint', type: 'int32', meaning: 'index of the segment in the flight, from 0' },
  { name: 'time_start', type: 'timestamp', meaning: 'start of the segment, UTC' },
  { name: 'time_end', type: 'timestamp', meaning: 'end of the segment, UTC' },
  { name: 'lat_start', type: 'double', unit: '°', meaning: 'latitude at `time_start`' },
  { name: 'lon_start', type: 'double', unit: '°', meaning: 'longitude at `time_start`' },
  { name: 'lat_end', type: 'double', unit: '°', meaning: 'latitude at `time_end`' },
  { name: 'lon_end', type: 'double', unit: '°', meaning: 'longitude at `time_end`' },
  { name: 'altitude_ft', type: 'float', unit: 'ft', meaning: 'pressure altitude at `time_start`' },
  { name: 'altitude_end_ft', type: 'float', unit: 'ft', meaning: 'pressure altitude at `time_end`' },
  {
    name: 'chunk_len_km',
    type: 'float',
    unit: 'km',
    meaning: 'length of the segment with its change of altitude',
  },
  {
    name: 'phase',
    type: 'int8',
    meaning: '1 climb, 2 cruise, 3 descent, 4 level flight below 20,000 ft, 5 unknown',
  },
  { name: 'true_airspeed_ms', type: 'float', nullable: true, unit: 'm/s', meaning: 'true airspeed' },
  {
    name: 'fuel_flow_kg_s',
    type: 'float',
    nullable: true,
    unit: 'kg/s',
    meaning: 'fuel flow of all engines',
  },
  { name: 'thrust_n', type: 'float', nullable: true, unit: 'N', meaning: 'thrust of all engines' },
  {
    name: 'total_fuel_burn_kg',
    type: 'float',
    nullable: true,
    unit: 'kg',
    meaning: 'fuel burnt on the segment',
  },
  { name: 'total_co2_kg', type: 'float', nullable: true, unit: 'kg', meaning: 'CO2 emitted on the segment' },
  {
    name: 'total_nox_kg',
    type: 'float',
    nullable: true,
    unit: 'kg',
    meaning: 'NOx emitted on the segment, as NO2',
  },
  {
    name: 'total_nvpm_kg',
    type: 'float',
    nullable: true,
    unit: 'kg',
    meaning: 'non-volatile particles emitted on the segment',
  },
  {
    name: 'total_nvpm_giga_cnt',
    type: 'double',
    nullable: true,
    unit: '1e9',
    meaning: 'number of non-volatile particles emitted on the segment',
  },
  {
    name: 'mean_aircraft_mass_kg',
    type: 'float',
    nullable: true,
    unit: 'kg',
    meaning: 'mass of the aircraft at `time_start`',
  },
  {
    name: 'mean_overall_efficiency',
    type: 'float',
    nullable: true,
    meaning: 'overall efficiency of propulsion at `time_start`',
  },
  {
    name: 'nvpm_ei_n',
    type: 'float',
    nullable: true,
    unit: '1/kg',
    meaning: 'non-volatile particles per mass of fuel',
  },
  { name: 'nox_ei', type: 'float', nullable: true, unit: 'kg/kg', meaning: 'NOx per mass of fuel' },
  {
    name: 'air_temperature',
    type: 'float',
    nullable: true,
    unit: 'K',
    meaning: 'air temperature at `time_start`',
  },
  {
    name: 'rhi',
    type: 'float',
    nullable: true,
    meaning: 'relative humidity over ice at `time_start`, after scaling',
  },
  {
    name: 'sac',
    type: 'int8',
    nullable: true,
    meaning:
      '1 where a contrail forms (Schmidt–Appleman criterion), 0 where none does; null where the weather is unknown',
  },
  {
    name: 'initially_persistent',
    type: 'int8',
    nullable: true,
    meaning: '1 where the contrail survives the wake vortices; null where the weather is unknown',
  },
  {
    name: 'persistent',
    type: 'bool',
    meaning: 'whether the contrail of the segment has a forcing over its life',
  },
  {
    name: 'contrail_age_min',
    type: 'float',
    unit: 'min',
    meaning: 'lifetime of the contrail of the segment, 0 without one',
  },
  {
    name: 'sum_ef_mj',
    type: 'double',
    nullable: true,
    unit: 'MJ',
    meaning:
      'energy forcing of the contrail of the segment over its whole life; 0 without a contrail, null where the weather is unknown',
  },
  {
    name: 'co2e20_kg',
    type: 'float',
    nullable: true,
    unit: 'kg',
    meaning: 'CO2 equivalent of `sum_ef_mj` over 20 years',
  },
  {
    name: 'co2e50_kg',
    type: 'float',
    nullable: true,
    unit: 'kg',
    meaning: 'CO2 equivalent of `sum_ef_mj` over 50 years',
  },
  {
    name: 'co2e100_kg',
    type: 'float',
    nullable: true,
    unit: 'kg',
    meaning: 'CO2 equivalent of `sum_ef_mj` over 100 years',
  },
  {
    name: 'imputed',
    type: 'bool',
    meaning: 'whether the reports around `time_start` lie more than 60 s apart',
  },
  {
    name: 'gap_s',
    type: 'float',
    unit: 's',
    meaning: 'time between the reports around `time_start`, 0 on a report',
  },
  { name: 'quality', type: 'int32', meaning: 'bits of the summary that concern this minute: 8, 16 and 256' },
] as const satisfies readonly ColumnSpec[];

/** One row for each minute of flight. */
export const SEGMENT_COLUMNS = [...SEGMENT_FLIGHT_COLUMNS, ...SEGMENT_NUMBER_COLUMNS] as const;

/** One row for each flight. */
export const SUMMARY_COLUMNS = [
  ...AIRFRAME_COLUMNS,
  { name: 'tail_number', type: 'string', nullable: true, meaning: 'registration' },
  {
    name: 'imported',
    type: 'bool',
    meaning:
      'whether the flight comes from a file of flights; its `icao_address` is then one that no state assigns',
  },
  {
    name: 'source',
    type: 'string',
    nullable: true,
    meaning: 'name under which an imported flight was stored; null for telemetry',
  },
  ...FLIGHT_COLUMNS,
  { name: 'performance_type', type: 'string', meaning: 'type whose performance parameters were used' },
  {
    name: 'engine_source',
    type: 'string',
    meaning: '`airframe` from the airframe table, `type_default` the usual engine of the type',
  },
  {
    name: 'departure_airport_icao',
    type: 'string',
    nullable: true,
    meaning: 'airport of departure, as reported or inferred',
  },
  {
    name: 'arrival_airport_icao',
    type: 'string',
    nullable: true,
    meaning: 'airport of arrival, as reported or inferred',
  },
  {
    name: 'departure_country_iso',
    type: 'string',
    nullable: true,
    meaning: 'country of departure, ISO 3166',
  },
  { name: 'arrival_country_iso', type: 'string', nullable: true, meaning: 'country of arrival, ISO 3166' },
  { name: 'departure_continent_iso', type: 'string', nullable: true, meaning: 'continent of departure' },
  { name: 'arrival_continent_iso', type: 'string', nullable: true, meaning: 'continent of arrival' },
  {
    name: 'departure_scheduled_time',
    type: 'timestamp',
    nullable: true,
    meaning: 'scheduled departure, UTC',
  },
  { name: 'arrival_scheduled_time', type: 'timestamp', nullable: true, meaning: 'scheduled arrival, UTC' },
  {
    name: 'is_eu_mrv',
    type: 'bool',
    nullable: true,
    meaning:
      'whether the flight departs in the EEA (with its outermost regions) and arrives there, in Switzerland or in the United Kingdom; null when an airport is unknown',
  },
  { name: 'time_start', type: 'timestamp', meaning: 'first whole minute, UTC' },
  { name: 'time_end', type: 'timestamp', meaning: 'last whole minute, UTC' },
  { name: 'flight_duration_h', type: 'double', unit: 'h', meaning: 'time from `time_start` to `time_end`' },
  { name: 'lat_start', type: 'double', unit: '°', meaning: 'latitude at `time_start`' },
  { name: 'lon_start', type: 'double', unit: '°', meaning: 'longitude at `time_start`' },
  { name: 'lat_end', type: 'double', unit: '°', meaning: 'latitude at `time_end`' },
  { name: 'lon_end', type: 'double', unit: '°', meaning: 'longitude at `time_end`' },
  { name: 'seg_cnt', type: 'int32', meaning: 'number of segments' },
  { name: 'seg_ef_cnt', type: 'int32', meaning: 'number of segments with a forcing' },
  { name: 'seg_pos_ef_cnt', type: 'int32', meaning: 'number of segments with a warming forcing' },
  { name: 'seg_ef_nan_cnt', type: 'int32', meaning: 'number of segments whose forcing is unknown' },
  { name: 'chunk_len_km', type: 'double', unit: 'km', meaning: 'distance flown' },
  {
    name: 'great_circle_km',
    type: 'double',
    nullable: true,
    unit: 'km',
    meaning: 'great-circle distance between the airports, or between the ends of the flight',
  },
  { name: 'median_altitude_ft', type: 'int32', unit: 'ft', meaning: 'median of the pressure altitude' },
  { name: 'max_altitude_ft', type: 'int32', unit: 'ft', meaning: 'highest pressure altitude' },
  { name: 'total_fuel_burn_kg', type: 'double', nullable: true, unit: 'kg', meaning: 'fuel burnt' },
  { name: 'total_co2_kg', type: 'double', nullable: true, unit: 'kg', meaning: 'CO2 emitted' },
  { name: 'total_h2o_kg', type: 'double', nullable: true, unit: 'kg', meaning: 'water vapour emitted' },
  { name: 'total_so2_kg', type: 'double', nullable: true, unit: 'kg', meaning: 'SO2 emitted' },
  { name: 'total_sulphates_kg', type: 'double', nullable: true, unit: 'kg', meaning: 'sulphates emitted' },
  { name: 'total_oc_kg', type: 'double', nullable: true, unit: 'kg', meaning: 'organic carbon emitted' },
  { name: 'total_nox_kg', type: 'double', nullable: true, unit: 'kg', meaning: 'NOx emitted, as NO2' },
  { name: 'total_co_kg', type: 'double', nullable: true, unit: 'kg', meaning: 'CO emitted' },
  {
    name: 'total_hc_kg',
    type: 'double',
    nullable: true,
    unit: 'kg',
    meaning: 'unburnt hydrocarbons emitted',
  },
  {
    name: 'total_nvpm_kg',
    type: 'double',
    nullable: true,
    unit: 'kg',
    meaning: 'non-volatile particles emitted',
  },
  {
    name: 'total_nvpm_giga_cnt',
    type: 'double',
    nullable: true,
    unit: '1e9',
    meaning: 'number of non-volatile particles emitted',
  },
  {
    name: 'mean_nvpm_ein',
    type: 'double',
    nullable: true,
    unit: '1/kg',
    meaning: 'particles per mass of fuel, weighted by fuel',
  },
  {
    name: 'mean_aircraft_mass_kg',
    type: 'double',
    nullable: true,
    unit: 'kg',
    meaning: 'mean mass over time',
  },
  {
    name: 'mean_overall_efficiency',
    type: 'double',
    nullable: true,
    meaning: 'mean overall efficiency of propulsion over time',
  },
  {
    name: 'takeoff_mass_kg',
    type: 'double',
    nullable: true,
    unit: 'kg',
    meaning: 'mass at the first minute',
  },
  {
    name: 'passenger_load_factor',
    type: 'double',
    nullable: true,
    meaning: 'share of seats taken, from the region of departure and the day',
  },
  {
    name: 'cargo_load_factor',
    type: 'double',
    nullable: true,
    meaning:
      'share of cargo capacity used, from the pair of regions and the great-circle distance between the airports',
  },
  {
    name: 'total_contrail_length_sac_km',
    type: 'double',
    unit: 'km',
    meaning: 'length on which a contrail forms',
  },
  {
    name: 'total_persistent_contrail_length_km',
    type: 'double',
    unit: 'km',
    meaning: 'length with a forcing',
  },
  {
    name: 'total_pos_ef_persistent_contrail_length_km',
    type: 'double',
    unit: 'km',
    meaning: 'length with a warming forcing',
  },
  {
    name: 'mean_contrail_lifetime_h',
    type: 'double',
    nullable: true,
    unit: 'h',
    meaning: 'mean lifetime of contrails, weighted by length; null without any',
  },
  {
    name: 'median_contrail_lifetime_h',
    type: 'double',
    nullable: true,
    unit: 'h',
    meaning: 'median lifetime of the contrails of segments',
  },
  { name: 'max_contrail_lifetime_h', type: 'double', nullable: true, unit: 'h', meaning: 'longest lifetime' },
  {
    name: 'sum_ef_mj',
    type: 'double',
    unit: 'MJ',
    meaning: 'net energy forcing of all contrails of the flight over their lives',
  },
  { name: 'ef_warming_mj', type: 'double', unit: 'MJ', meaning: 'sum over warming segments' },
  { name: 'ef_cooling_mj', type: 'double', unit: 'MJ', meaning: 'sum over cooling segments, negative' },
  { name: 'ef_mj_per_km', type: 'double', unit: 'MJ/km', meaning: 'net energy forcing per distance flown' },
  { name: 'co2e20_kg', type: 'double', unit: 'kg', meaning: 'CO2 equivalent of the contrails over 20 years' },
  { name: 'co2e50_kg', type: 'double', unit: 'kg', meaning: 'CO2 equivalent of the contrails over 50 years' },
  {
    name: 'co2e100_kg',
    type: 'double',
    unit: 'kg',
    meaning: 'CO2 equivalent of the contrails over 100 years',
  },
  {
    name: 'co2e_gtp20_kg',
    type: 'double',
    unit: 'kg',
    meaning:
      'the same as global temperature change potential over 20 years, with efficacy; see [metrics](climate.md#metrics)',
  },
  {
    name: 'co2e_gtp50_kg',
    type: 'double',
    unit: 'kg',
    meaning:
      'the same as global temperature change potential over 50 years, with efficacy; see [metrics](climate.md#metrics)',
  },
  {
    name: 'co2e_gtp100_kg',
    type: 'double',
    unit: 'kg',
    meaning:
      'the same as global temperature change potential over 100 years, with efficacy; see [metrics](climate.md#metrics)',
  },
  {
    name: 'co2e_atr20_kg',
    type: 'double',
    unit: 'kg',
    meaning:
      'the same as average temperature response over 20 years, with efficacy; see [metrics](climate.md#metrics)',
  },
  {
    name: 'co2e_atr50_kg',
    type: 'double',
    unit: 'kg',
    meaning:
      'the same as average temperature response over 50 years, with efficacy; see [metrics](climate.md#metrics)',
  },
  {
    name: 'co2e_atr100_kg',
    type: 'double',
    unit: 'kg',
    meaning:
      'the same as average temperature response over 100 years, with efficacy; see [metrics](climate.md#metrics)',
  },
  {
    name: 'nox_atr20_k',
    type: 'double',
    nullable: true,
    unit: 'K',
    meaning:
      'mean temperature response of 20 years to NOx, by [climate change functions](climate.md#climate-change-functions)',
  },
  {
    name: 'h2o_atr20_k',
    type: 'double',
    nullable: true,
    unit: 'K',
    meaning:
      'mean temperature response of 20 years to water vapour, by [climate change functions](climate.md#climate-change-functions)',
  },
  {
    name: 'nox_co2e20_kg',
    type: 'double',
    nullable: true,
    unit: 'kg',
    meaning: 'CO2 equivalent of NOx over 20 years (GWP, with efficacy)',
  },
  {
    name: 'nox_co2e50_kg',
    type: 'double',
    nullable: true,
    unit: 'kg',
    meaning: 'CO2 equivalent of NOx over 50 years (GWP, with efficacy)',
  },
  {
    name: 'nox_co2e100_kg',
    type: 'double',
    nullable: true,
    unit: 'kg',
    meaning: 'CO2 equivalent of NOx over 100 years (GWP, with efficacy)',
  },
  {
    name: 'h2o_co2e20_kg',
    type: 'double',
    nullable: true,
    unit: 'kg',
    meaning: 'CO2 equivalent of water vapour over 20 years (GWP, with efficacy)',
  },
  {
    name: 'h2o_co2e50_kg',
    type: 'double',
    nullable: true,
    unit: 'kg',
    meaning: 'CO2 equivalent of water vapour over 50 years (GWP, with efficacy)',
  },
  {
    name: 'h2o_co2e100_kg',
    type: 'double',
    nullable: true,
    unit: 'kg',
    meaning: 'CO2 equivalent of water vapour over 100 years (GWP, with efficacy)',
  },
  {
    name: 'accf_coverage',
    type: 'double',
    nullable: true,
    meaning:
      'share of the fuel for which NOx and water vapour are known; what is unknown is left out of them',
  },
  {
    name: 'status',
    type: 'string',
    meaning: '`ok`, or `partial` where only a part of the flight or of its weather is known',
  },
  {
    name: 'dq_grade',
    type: 'string',
    meaning:
      'A: no gap above 15 min in cruise, less than 5 % imputed, both airports; B: less than 25 % imputed; C: less than 60 %; D: the rest and partial flights',
  },
  { name: 'quality', type: 'int32', meaning: 'sum of bits, see [quality bits](#quality-bits)' },
  { name: 'waypoint_count_raw', type: 'int32', meaning: 'reports before healing' },
  { name: 'waypoint_count_used', type: 'int32', meaning: 'reports after healing' },
  { name: 'imputed_min', type: 'float', unit: 'min', meaning: 'minutes without a report nearby' },
  { name: 'max_gap_min', type: 'float', unit: 'min', meaning: 'longest time between two reports' },
  { name: 'satellite_fraction', type: 'float', meaning: 'share of used reports received by satellite' },
  { name: 'modeling_version', type: 'string', meaning: 'version of the models' },
  { name: 'perf_model_id', type: 'string', meaning: 'performance model, `PS`' },
  { name: 'nvpm_data_source', type: 'string', meaning: 'source of the particle emissions' },
  { name: 'met_source_dataset', type: 'string', meaning: 'weather dataset' },
  { name: 'met_days', type: 'string', meaning: 'first and last day of weather that the flight used' },
  { name: 'run_id', type: 'string', meaning: 'run that computed the flight' },
  { name: 'config_hash', type: 'string', meaning: 'hash of the settings of the run' },
  { name: 'processed_at', type: 'timestamp', meaning: 'start of the run, UTC' },
] as const satisfies readonly ColumnSpec[];

/** One row for each leg of the telemetry, whatever became of it. */
export const LEG_COLUMNS = [
  { name: 'flight_id', type: 'string', meaning: 'identifier of the leg' },
  { name: 'icao_address', type: 'string', meaning: '24-bit address of the transponder' },
  { name: 'callsign', type: 'string', nullable: true, meaning: 'callsign' },
  { name: 'airline_iata', type: 'string', nullable: true, meaning: 'IATA code of the airline' },
  { name: 'aircraft_type_icao', type: 'string', nullable: true, meaning: 'ICAO type designator' },
  { name: 'departure_airport_icao', type: 'string', nullable: true, meaning: 'airport of departure' },
  { name: 'arrival_airport_icao', type: 'string', nullable: true, meaning: 'airport of arrival' },
  { name: 'first_time', type: 'timestamp', meaning: 'time of the first report' },
  { name: 'last_time', type: 'timestamp', meaning: 'time of the last report' },
  {
    name: 'outcome',
    type: 'string',
    meaning: '`ok`, `partial` or the reason why the leg is not in the inventory',
  },
  { name: 'codes', type: 'string', meaning: 'all findings, separated by commas' },
  {
    name: 'detail',
    type: 'string',
    nullable: true,
    meaning: 'error of the model, or what the leg waits for',
  },
  {
    name: 'cut_reason',
    type: 'string',
    nullable: true,
    meaning: 'why the leg begins where it does; null for the first of an airframe',
  },
  { name: 'reports', type: 'int32', meaning: 'reports of the leg' },
  { name: 'reports_used', type: 'int32', meaning: 'reports after healing' },
  {
    name: 'healing',
    type: 'string',
    nullable: true,
    meaning: 'reports dropped and points added by each step of healing, JSON',
  },
  {
    name: 'settings',
    type: 'string',
    nullable: true,
    meaning:
      'what was used for this flight: type, engine, load factors, role, lowest level of the weather, and the take-off mass of flights that were seen in part, JSON',
  },
  { name: 'minutes_in', type: 'int32', meaning: 'whole minutes between the first and the last report' },
  { name: 'minutes_out', type: 'int32', meaning: 'minutes in the inventory' },
  { name: 'minutes_imputed', type: 'int32', meaning: 'of these, minutes without a report nearby' },
  { name: 'leg_hash', type: 'string', meaning: 'hash of the healed and resampled leg' },
] as const satisfies readonly ColumnSpec[];

type TypeOf<Spec extends ColumnSpec> = Spec['type'] extends 'string'
  ? string
  : Spec['type'] extends 'bool'
    ? boolean
    : number;

/** A row with every column; timestamps are milliseconds since 1970. */
export type RowOf<Columns extends readonly ColumnSpec[]> = {
  readonly [Spec in Columns[number] as Spec['name']]: Spec extends { readonly nullable: true }
    ? TypeOf<Spec> | null
    : TypeOf<Spec>;
};

export type SummaryRow = RowOf<typeof SUMMARY_COLUMNS>;
export type LegRow = RowOf<typeof LEG_COLUMNS>;
export type SegmentNumberColumn = (typeof SEGMENT_NUMBER_COLUMNS)[number]['name'];

/** The segments of a flight; NaN is null, flags are 1 and 0, times are milliseconds since 1970. */
export type SegmentNumbers = Readonly<Record<SegmentNumberColumn, Float64Array>>;

export const SEGMENT_NUMBER_NAMES: readonly SegmentNumberColumn[] = SEGMENT_NUMBER_COLUMNS.map(
  ({ name }) => name,
);
