/** The fields of a flight that are numbers: what they mean, their units and the range in which they are believed. */
import type { NumberRule } from '../../http/params/number.ts';
import type { GivenName } from './fleet.ts';

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
    description: 'Longitude, WGS 84; values from 180 on are brought to −180 … 180.',
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
  altitude_ft: { ...POSITION_FIELDS.altitude, description: 'Another name of altitude [ft].' },
  altitude_m: {
    unit: 'm',
    minimum: -610,
    maximum: 18_288,
    description: 'Barometric altitude in metres, instead of altitude in feet.',
  },
} as const satisfies Record<string, NumberField>;

/** One value for each waypoint, null where it is unknown, or one for all. */
export const GIVEN_FIELDS: Readonly<Record<GivenName, NumberField>> = {
  engine_efficiency: {
    unit: '1',
    minimum: 0,
    maximum: 1,
    description: 'Overall efficiency of propulsion.',
  },
  aircraft_mass: {
    unit: 'kg',
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    description: 'Mass of the aircraft.',
  },
  true_airspeed: { unit: 'm s-1', exclusiveMinimum: 0, maximum: 1000, description: 'True airspeed.' },
  fuel_flow: { unit: 'kg s-1', minimum: 0, maximum: 100, description: 'Fuel flow of the whole aircraft.' },
  thrust: { unit: 'N', minimum: 0, maximum: 5_000_000, description: 'Thrust of the whole aircraft.' },
  nvpm_ei_n: {
    unit: 'kg-1',
    minimum: 0,
    maximum: 1e18,
    description: 'Number of non-volatile particles per kilogram of fuel.',
  },
  nox_ei: { unit: 'kg kg-1', minimum: 0, maximum: 1, description: 'Mass of NOx (as NO2) per mass of fuel.' },
  air_temperature: {
    unit: 'K',
    minimum: 150,
    maximum: 350,
    description: 'Air temperature, instead of the weather; null is taken from the weather.',
  },
  specific_humidity: {
    unit: 'kg kg-1',
    minimum: 0,
    maximum: 0.1,
    description:
      'Specific humidity, instead of the weather; it is not scaled. Null is taken from the weather.',
  },
  eastward_wind: {
    unit: 'm s-1',
    minimum: -250,
    maximum: 250,
    description: 'Eastward wind, instead of the weather; null is taken from the weather.',
  },
  northward_wind: {
    unit: 'm s-1',
    minimum: -250,
    maximum: 250,
    description: 'Northward wind, instead of the weather; null is taken from the weather.',
  },
  air_pressure: {
    unit: 'Pa',
    exclusiveMinimum: 0,
    maximum: 120_000,
    description: 'Air pressure, instead of that of the altitude; null is taken from the altitude.',
  },
};

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
    description: 'Share of the seats that are taken.',
  },
  cargo_load_factor: {
    unit: '1',
    minimum: 0,
    maximum: 1,
    description: 'Share of the cargo capacity that is used.',
  },
  saf_blend_pct: {
    unit: '% by volume',
    minimum: 0,
    maximum: 100,
    description: 'Share of sustainable fuel, with fuel SAF.',
  },
} as const satisfies Record<string, NumberField>;

export type FlightField = keyof typeof FLIGHT_FIELDS;

export const FLIGHT_FIELD_NAMES = Object.keys(FLIGHT_FIELDS) as FlightField[];
export const GIVEN_FIELD_NAMES = Object.keys(GIVEN_FIELDS) as GivenName[];

/** Limits of one request. */
export const LIMITS = {
  waypointsOfFlight: 20_000,
  waypointsOfFleet: 300_000,
  flights: 1000,
  hours: 24,
} as const;
