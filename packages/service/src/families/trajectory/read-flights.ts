/** What a body says of each flight as a whole: type, engine, fuel, load. */
import { designator } from '@contrails/physics/aircraft';
import { didYouMean, nearMatches } from '@contrails/physics/common';
import { knownEngineUids, resolveEngineUid } from '@contrails/physics/emissions';
import { shown } from '../../http/shown.ts';
import type { FaultList } from './fault-list.ts';
import { FLIGHT_FIELD_NAMES, FLIGHT_FIELDS, type FlightField } from './fields.ts';
import type { FlightGiven } from './fleet.ts';
import { type ReadValue, readFlightValues } from './flight-values.ts';
import type { FlightOrder } from './order-flights.ts';
import { readNumber } from './read-columns.ts';

const FUELS = ['JetA', 'SAF'] as const;
type FuelName = (typeof FUELS)[number];

export function readFlights(
  body: Readonly<Record<string, unknown>>,
  order: FlightOrder,
  waypoints: number,
  faults: FaultList,
): FlightGiven[] {
  const values = <T extends string | number>(name: string, read: ReadValue<T>) =>
    readFlightValues(name, body[name], order, waypoints, read, faults);
  const numbers = Object.fromEntries(
    FLIGHT_FIELD_NAMES.map((name) => [
      name,
      values(name, (_, index, raw) => readNumber(name, raw, FLIGHT_FIELDS[name], faults, index)),
    ]),
  ) as Record<FlightField, (number | undefined)[]>;
  const types = values('aircraft_type', (name, index, raw) => {
    const type = readWord(name, index, raw, 'an ICAO type designator such as B738', faults);
    return type && designator(type);
  });
  const engines = values('engine_uid', (name, index, raw) => readEngine(name, index, raw, faults));
  const fuels = values('fuel', (name, index, raw) => readFuel(name, index, raw, faults));
  checkBlends(fuels, numbers.saf_blend_pct, faults);
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
  }));
}

const LONGEST_WORD = 40;

function readWord(
  name: string,
  index: number | undefined,
  raw: unknown,
  accepted: string,
  faults: FaultList,
): string | undefined {
  if (typeof raw === 'string' && raw.trim() !== '' && raw.length <= LONGEST_WORD)
    return raw.trim().toUpperCase();
  faults.add(
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
  faults: FaultList,
): string | undefined {
  const uid = readWord(name, index, raw, 'a UID of the ICAO emissions databank such as 01P11CM116', faults);
  if (uid === undefined || resolveEngineUid(uid) !== null) return uid;
  faults.add(
    name,
    index,
    () =>
      `${placed(name, index)} ${shown(raw)} is not in the ICAO emissions databank; give one of its UIDs, or leave it out to take the most common engine of the type.${didYouMean(nearMatches(uid, knownEngineUids()))}`,
    'choice',
  );
  return undefined;
}

function readFuel(
  name: string,
  index: number | undefined,
  raw: unknown,
  faults: FaultList,
): FuelName | undefined {
  const fuel = FUELS.find((known) => typeof raw === 'string' && known.toLowerCase() === raw.toLowerCase());
  if (fuel === undefined) {
    faults.add(
      name,
      index,
      () => `${placed(name, index)} ${shown(raw)} is not served; choose from ${FUELS.join(', ')}`,
      'choice',
    );
  }
  return fuel;
}

/** A share without its fuel would be ignored, and a fuel without its share is not known. */
function checkBlends(
  fuels: readonly (FuelName | undefined)[],
  shares: readonly (number | undefined)[],
  faults: FaultList,
): void {
  if (faults.has('saf_blend_pct')) return;
  if (fuels.some((fuel, f) => fuel === 'SAF' && shares[f] === undefined)) {
    faults.add(
      'saf_blend_pct',
      undefined,
      () => 'saf_blend_pct is missing; give the share of sustainable fuel, 0 to 100, with fuel SAF',
      'missing',
    );
  }
  if (fuels.some((fuel, f) => fuel === 'JetA' && (shares[f] ?? 0) > 0)) {
    faults.add(
      'saf_blend_pct',
      undefined,
      () => 'saf_blend_pct has no meaning with fuel JetA; leave it out, or give fuel SAF',
      'value_error',
    );
  }
}

const placed = (name: string, index: number | undefined): string =>
  index === undefined ? name : `${name}[${index}]`;
