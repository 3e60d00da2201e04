/** The fields of a flight that are numbers: what they mean, their units and the range in which they are believed. */
import type { FlightColumnName, FlightColumns } from '@contrails/physics/flight';
import type { NumberRule } from '@contrails/runtime/options/number';

export interface NumberField
  extends Pick<NumberRule, 'minimum' | 'exclusiveMinimum' | 'maximum' | 'integer'> {
  readonly unit: string;
  readonly description: string;
}

/** One value for each waypoint, none of them missing. */
export const POSITION_FIELDS = {
  longitude: {
    unit: 'degrees east',
    minimum: -180,
    maximum: 360,
    description: 'Longitude, WGS 84; values of 180 and above are wrapped to −180 … 180.',
  },
  latitude: { unit: 'degrees north', minimum: -90, maximum: 90, description: 'Latitude, WGS 84.' },
  altitude: {
    unit: 'ft',
    minimum: -2000,
    maximum: 60_000,
    description: 'Barometric altitude: pressure altitude in the standard atmosphere.',
  },
} as const satisfies Record<string, NumberField>;

/** Altitude under its other names, of which a flight gives at least one. */
export const ALTITUDE_ALIASES = {
  altitude_ft: { ...POSITION_FIELDS.altitude, description: 'Alias of altitude.' },
  altitude_m: {
    unit: 'm',
    minimum: -610,
    maximum: 18_288,
    description: 'Barometric altitude in metres, instead of altitude in feet.',
  },
} as const satisfies Record<string, NumberField>;

export interface GivenField extends NumberField {
  /** What the models call it. */
  readonly column: Exclude<FlightColumnName, 'timeMs' | 'longitude' | 'latitude'>;
}

/** One value for each waypoint, null where it is unknown, or one for all. */
export const GIVEN_FIELDS = {
  engine_efficiency: {
    column: 'engineEfficiency',
    unit: '1',
    minimum: 0,
    maximum: 1,
    description: 'Overall propulsion efficiency.',
  },
  aircraft_mass: {
    column: 'aircraftMassKg',
    unit: 'kg',
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    description: 'Mass of the aircraft.',
  },
  true_airspeed: {
    column: 'trueAirspeedMS',
    unit: 'm s-1',
    exclusiveMinimum: 0,
    maximum: 1000,
    description: 'True airspeed.',
  },
  fuel_flow: {
    column: 'fuelFlowKgS',
    unit: 'kg s-1',
    minimum: 0,
    maximum: 100,
    description: 'Fuel flow of the whole aircraft.',
  },
  thrust: {
    column: 'thrustN',
    unit: 'N',
    minimum: 0,
    maximum: 5_000_000,
    description: 'Thrust of the whole aircraft.',
  },
  nvpm_ei_n: {
    column: 'nvpmEiN',
    unit: 'kg-1',
    minimum: 0,
    maximum: 1e18,
    description: 'Number of non-volatile particles per kilogram of fuel.',
  },
  nox_ei: {
    column: 'noxEi',
    unit: 'kg kg-1',
    minimum: 0,
    maximum: 1,
    description: 'Mass of NOx (as NO2) per mass of fuel.',
  },
  air_temperature: {
    column: 'airTemperatureK',
    unit: 'K',
    minimum: 150,
    maximum: 350,
    description: 'Air temperature, overriding the weather; null uses the weather.',
  },
  specific_humidity: {
    column: 'specificHumidity',
    unit: 'kg kg-1',
    minimum: 0,
    maximum: 0.1,
    description: 'Specific humidity, overriding the weather; it is not scaled. Null uses the weather.',
  },
  eastward_wind: {
    column: 'eastwardWindMS',
    unit: 'm s-1',
    minimum: -250,
    maximum: 250,
    description: 'Eastward wind, overriding the weather; null uses the weather.',
  },
  northward_wind: {
    column: 'northwardWindMS',
    unit: 'm s-1',
    minimum: -250,
    maximum: 250,
    description: 'Northward wind, overriding the weather; null uses the weather.',
  },
  air_pressure: {
    column: 'airPressurePa',
    unit: 'Pa',
    exclusiveMinimum: 0,
    maximum: 120_000,
    description: 'Air pressure, overriding that of the altitude; null uses the altitude.',
  },
} as const satisfies Record<string, GivenField>;

/** What a request may give at the waypoints, by its public name. */
export type GivenName = keyof typeof GIVEN_FIELDS;

/** One value for a flight: one for all, or one for each waypoint that does not change within a flight. */
export const FLIGHT_FIELDS = {
  wingspan: { unit: 'm', exclusiveMinimum: 0, maximum: 150, description: 'Wingspan.' },
  n_engine: { unit: '1', integer: true, minimum: 1, maximum: 12, description: 'Number of engines.' },
  max_mach_number: {
    unit: '1',
    exclusiveMinimum: 0,
    maximum: 3,
    description: 'Maximum operating Mach number, which limits the airspeed in the performance model.',
  },
  takeoff_mass: { unit: 'kg', exclusiveMinimum: 0, maximum: 1_000_000, description: 'Mass at take-off.' },
  passenger_load_factor: {
    unit: '1',
    minimum: 0,
    maximum: 1,
    description: 'Share of seats occupied.',
  },
  cargo_load_factor: {
    unit: '1',
    minimum: 0,
    maximum: 1,
    description: 'Share of cargo capacity used.',
  },
  payload: { unit: 'kg', minimum: 0, maximum: 500_000, description: 'Mass of passengers and cargo.' },
  n_seats: { unit: '1', integer: true, minimum: 0, maximum: 1000, description: 'Number of seats.' },
  engine_deterioration_factor: {
    unit: '1',
    minimum: 0,
    maximum: 0.5,
    description: 'Share of engine efficiency lost; derived from aircraft_age_yrs, default: 0.025.',
  },
  aircraft_age_yrs: { unit: 'years', minimum: 0, maximum: 100, description: 'Age of the aircraft.' },
  amass_oew: {
    unit: 'kg',
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    description: "Operating empty mass, overriding the type's.",
  },
  amass_mtow: {
    unit: 'kg',
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    description: "Maximum take-off mass, overriding the type's.",
  },
  amass_mpl: {
    unit: 'kg',
    exclusiveMinimum: 0,
    maximum: 500_000,
    description: "Maximum payload, overriding the type's.",
  },
  saf_blend_pct: {
    unit: '% by volume',
    minimum: 0,
    maximum: 100,
    description: 'Share of sustainable fuel, for fuel SAF.',
  },
  hydrogen_content: {
    unit: '% by mass',
    minimum: 12,
    maximum: 16,
    description:
      'Hydrogen content of the fuel, overriding that of the fuel type: changes water vapour and the number and mass of particles.',
  },
  sulphur_ppm: {
    unit: 'ppm by mass',
    minimum: 0,
    maximum: 5000,
    description:
      'Sulphur in the fuel, overriding that of the fuel type: changes sulphur dioxide and sulphates.',
  },
  aromatics_pct: {
    unit: '% by volume',
    minimum: 0,
    maximum: 30,
    description: 'Aromatics in the fuel; recorded only, the hydrogen content determines the effect.',
  },
  naphthalene_pct: {
    unit: '% by volume',
    minimum: 0,
    maximum: 5,
    description: 'Naphthalene in the fuel; recorded only, the hydrogen content determines the effect.',
  },
} as const satisfies Record<string, NumberField>;

export type FlightField = keyof typeof FLIGHT_FIELDS;

export const FLIGHT_FIELD_NAMES = Object.keys(FLIGHT_FIELDS) as FlightField[];
export const GIVEN_FIELD_NAMES = Object.keys(GIVEN_FIELDS) as GivenName[];

/** Whether flights give a field. */
export function isGiven(columns: FlightColumns, name: GivenName): boolean {
  return columns[GIVEN_FIELDS[name].column] !== undefined;
}

/** Limits of one request. */
export const LIMITS = {
  waypointsOfFlight: 20_000,
  waypointsOfFleet: 300_000,
  flights: 1000,
  hours: 24,
} as const;
