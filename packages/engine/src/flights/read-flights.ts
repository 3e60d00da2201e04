/** The attributes of each flight of a body: type, engine, fuel, load. */
import { greatCircleKm } from '@contrails/flights';
import { designator } from '@contrails/physics/aircraft';
import { didYouMean, nearMatches } from '@contrails/physics/common';
import { knownEngineUids, resolveEngineUid } from '@contrails/physics/emissions';
import type { ErrorList } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import { slices, type Work } from '@contrails/runtime/turns';
import { FLIGHT_FIELD_NAMES, FLIGHT_FIELDS, type FlightField } from './fields.ts';
import type { FlightGiven } from './fleet.ts';
import type { FlightOrder } from './order-flights.ts';
import { readNumber } from './read-columns.ts';

/** Fields of a flight that are texts. */
export const FLIGHT_TEXTS = [
  'aircraft_type',
  'engine_uid',
  'fuel',
  'origin_airport_icao',
  'destination_airport_icao',
  'aircraft_role',
] as const;

const FUELS = ['JetA', 'SAF', 'Hydrogen'] as const;
const ROLES = ['Passenger', 'Cargo', 'Other'] as const;
type FuelName = (typeof FUELS)[number];

export function* readFlights(
  body: Readonly<Record<string, unknown>>,
  order: FlightOrder,
  waypoints: number,
  errors: ErrorList,
): Work<FlightGiven[]> {
  const values = <T extends string | number>(name: string, read: ReadValue<T>) =>
    readFlightValues(name, body[name], order, waypoints, read, errors);
  const numbers = {} as Record<FlightField, (number | undefined)[]>;
  for (const name of FLIGHT_FIELD_NAMES) {
    numbers[name] = yield* values(name, (_, index, raw) =>
      readNumber(name, raw, FLIGHT_FIELDS[name], errors, index),
    );
  }
  const types = yield* values('aircraft_type', (name, index, raw) => {
    const type = readWord(name, index, raw, 'an ICAO type designator such as B738', errors);
    return type && designator(type);
  });
  const engines = yield* values('engine_uid', (name, index, raw) => readEngine(name, index, raw, errors));
  const fuels = yield* values('fuel', (name, index, raw) => readChoice(name, index, raw, FUELS, errors));
  checkBlends(fuels, numbers.saf_blend_pct, errors);
  checkHydrogen(fuels, body, errors);
  checkProperties(fuels, numbers, errors);
  const airports = (name: string) => values(name, (_, index, raw) => readAirport(name, index, raw, errors));
  const origins = yield* airports('origin_airport_icao');
  const destinations = yield* airports('destination_airport_icao');
  const roles = yield* values('aircraft_role', (name, index, raw) =>
    readChoice(name, index, raw, ROLES, errors),
  );
  return order.ids.map((id, f) => ({
    id,
    aircraftType: types[f],
    engineUid: engines[f],
    engineCount: numbers.n_engine[f],
    wingspanM: numbers.wingspan[f],
    maxMach: numbers.max_mach_number[f],
    takeoffMassKg: numbers.takeoff_mass[f],
    passengerLoadFactor: numbers.passenger_load_factor[f],
    cargoLoadFactor: numbers.cargo_load_factor[f],
    safBlendPercent: numbers.saf_blend_pct[f],
    ...present({
      isHydrogen: fuels[f] === 'Hydrogen' ? (true as const) : undefined,
      payloadKg: numbers.payload[f],
      seatCount: numbers.n_seats[f],
      engineDeterioration: numbers.engine_deterioration_factor[f],
      aircraftAgeYears: numbers.aircraft_age_yrs[f],
      operatingEmptyMassKg: numbers.amass_oew[f],
      maxTakeoffMassKg: numbers.amass_mtow[f],
      maxPayloadKg: numbers.amass_mpl[f],
      originAirportIcao: origins[f],
      destinationAirportIcao: destinations[f],
      airportDistanceKm: greatCircleKm(origins[f], destinations[f]),
      aircraftRole: roles[f],
      hydrogenContentPercent: numbers.hydrogen_content[f],
      sulphurPpm: numbers.sulphur_ppm[f],
      aromaticsPercent: numbers.aromatics_pct[f],
      naphthalenePercent: numbers.naphthalene_pct[f],
    }),
  }));
}

const MAX_LENGTH = 40;

function readWord(
  name: string,
  index: number | undefined,
  raw: unknown,
  accepted: string,
  errors: ErrorList,
): string | undefined {
  if (typeof raw === 'string' && raw.trim() !== '' && raw.length <= MAX_LENGTH)
    return raw.trim().toUpperCase();
  errors.addField(
    name,
    index,
    () => `${placed(name, index)} ${shown(raw)} is not accepted; give ${accepted}`,
    'string',
  );
  return undefined;
}

function readEngine(
  name: string,
  index: number | undefined,
  raw: unknown,
  errors: ErrorList,
): string | undefined {
  const uid = readWord(name, index, raw, 'a UID of the ICAO emissions databank such as 01P11CM116', errors);
  if (uid === undefined || resolveEngineUid(uid) !== null) return uid;
  errors.addField(
    name,
    index,
    () =>
      `${placed(name, index)} ${shown(raw)} is not in the ICAO emissions databank; give one of its UIDs, or leave it out to take the most common engine of the type.${didYouMean(nearMatches(uid, knownEngineUids()))}`,
    'choice',
  );
  return undefined;
}

function readChoice<T extends string>(
  name: string,
  index: number | undefined,
  raw: unknown,
  choices: readonly T[],
  errors: ErrorList,
): T | undefined {
  const chosen = choices.find(
    (known) => typeof raw === 'string' && known.toLowerCase() === raw.toLowerCase(),
  );
  if (chosen === undefined) {
    errors.addField(
      name,
      index,
      () => `${placed(name, index)} ${shown(raw)} is not served; choose from ${choices.join(', ')}`,
      'choice',
    );
  }
  return chosen;
}

function readAirport(
  name: string,
  index: number | undefined,
  raw: unknown,
  errors: ErrorList,
): string | undefined {
  const code = readWord(name, index, raw, 'an ICAO code such as EGLL', errors);
  if (code === undefined || /^[A-Z][A-Z0-9]{3}$/.test(code)) return code;
  errors.addField(
    name,
    index,
    () =>
      `${placed(name, index)} ${shown(raw)} is no ICAO code of an airport; give four letters such as EGLL`,
    'string',
  );
  return undefined;
}

/** Only what is given, so a flight without it stays as it was. */
function present<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The databank has no particles of hydrogen, and without them there is no contrail. */
function checkHydrogen(
  fuels: readonly (FuelName | undefined)[],
  body: Readonly<Record<string, unknown>>,
  errors: ErrorList,
): void {
  if (!fuels.includes('Hydrogen') || (body.nvpm_ei_n !== undefined && body.nvpm_ei_n !== null)) return;
  errors.addField(
    'nvpm_ei_n',
    undefined,
    () =>
      'nvpm_ei_n is missing; the databank has no particles of fuel Hydrogen: give the number per kilogram of fuel on which ice forms',
    'missing',
  );
}

const PROPERTIES = ['hydrogen_content', 'sulphur_ppm', 'aromatics_pct', 'naphthalene_pct'] as const;

/** Liquid hydrogen has no such properties. */
function checkProperties(
  fuels: readonly (FuelName | undefined)[],
  numbers: Readonly<Record<FlightField, readonly (number | undefined)[]>>,
  errors: ErrorList,
): void {
  const misplaced = PROPERTIES.filter((name) =>
    fuels.some((fuel, f) => fuel === 'Hydrogen' && numbers[name][f] !== undefined),
  );
  for (const name of misplaced) {
    errors.addField(
      name,
      undefined,
      () => `${name} has no meaning with fuel Hydrogen; leave it out, or give fuel JetA or SAF`,
      'value_error',
    );
  }
}

/** A share without its fuel would be ignored, and a fuel without its share is not known. */
function checkBlends(
  fuels: readonly (FuelName | undefined)[],
  shares: readonly (number | undefined)[],
  errors: ErrorList,
): void {
  if (errors.has('saf_blend_pct')) return;
  if (fuels.some((fuel, f) => fuel === 'SAF' && shares[f] === undefined)) {
    errors.addField(
      'saf_blend_pct',
      undefined,
      () => 'saf_blend_pct is missing; give the share of sustainable fuel, 0 to 100, with fuel SAF',
      'missing',
    );
  }
  if (fuels.some((fuel, f) => fuel === 'JetA' && (shares[f] ?? 0) > 0)) {
    errors.addField(
      'saf_blend_pct',
      undefined,
      () => 'saf_blend_pct has no meaning with fuel JetA; leave it out, or give fuel SAF',
      'value_error',
    );
  }
}

const placed = (name: string, index: number | undefined): string =>
  index === undefined ? name : `${name}[${index}]`;

/** Reads one value; undefined, with an error in the list, where it is not acceptable. */
type ReadValue<T> = (name: string, index: number | undefined, raw: unknown) => T | undefined;

/** The value of each flight; undefined where there is none. */
function* readFlightValues<T extends string | number>(
  name: string,
  raw: unknown,
  order: FlightOrder,
  waypoints: number,
  read: ReadValue<T>,
  errors: ErrorList,
): Work<(T | undefined)[]> {
  const flights = order.ids.length;
  if (raw === undefined || raw === null) return new Array<undefined>(flights).fill(undefined);
  if (!Array.isArray(raw)) return new Array<T | undefined>(flights).fill(read(name, undefined, raw));
  if (raw.length !== waypoints) {
    errors.addField(
      name,
      undefined,
      () =>
        `${name} has ${raw.length} elements, but there are ${waypoints} waypoints; give one value for all, or one for each waypoint`,
      'length',
    );
    return new Array<undefined>(flights).fill(undefined);
  }
  const values = new Array<T | undefined>(flights).fill(undefined);
  const sent = new Map<number, unknown>();
  yield* slices(waypoints, (start, end) => {
    for (let i = start; i < end; i++) {
      const flight = order.flightOf?.[i] ?? 0;
      const value: unknown = raw[i] ?? null;
      if (!sent.has(flight)) {
        sent.set(flight, value);
        if (value !== null) values[flight] = read(name, i, value);
      } else if (sent.get(flight) !== value) {
        const first = sent.get(flight);
        errors.addField(
          name,
          i,
          () =>
            `${name}[${i}] ${shown(value)} differs from ${shown(first)} of the same flight; give one value for each flight`,
          'value_error',
        );
      }
    }
  });
  return values;
}
