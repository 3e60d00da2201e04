/** Values that hold for a whole flight: sent once for all flights, or for each waypoint without changing within a flight. */

import type { ErrorList } from '../../http/rejected.ts';
import { shown } from '../../http/shown.ts';
import type { FlightOrder } from './order-flights.ts';

/** Reads one value; undefined, with an error in the list, where it is not acceptable. */
export type ReadValue<T> = (name: string, index: number | undefined, raw: unknown) => T | undefined;

/** The value of each flight; undefined where there is none. */
export function readFlightValues<T extends string | number>(
  name: string,
  raw: unknown,
  order: FlightOrder,
  waypoints: number,
  read: ReadValue<T>,
  errors: ErrorList,
): (T | undefined)[] {
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
  for (let i = 0; i < waypoints; i++) {
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
  return values;
}
