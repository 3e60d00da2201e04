/** What the observations view shows, as a link spells it. */
import { validDate } from '../inventory/inventory-state.ts';

export interface ObservationsState {
  /** The newest day with images unless given. */
  readonly date: string | undefined;
  /** Time of the frame as `hh:mm`; the last one of the day unless given. */
  readonly clock: string | undefined;
  /** Keys of flights that are looked up. */
  readonly flights: readonly string[];
  /** The flight whose contrails the map shows. */
  readonly chosen: string | undefined;
}

export function parseState(parameters: URLSearchParams): ObservationsState {
  const clock = parameters.get('time') ?? '';
  return {
    date: validDate(parameters.get('date')),
    clock: /^([01]\d|2[0-3]):[0-5]\d$/.test(clock) ? clock : undefined,
    flights: splitKeys(parameters.get('flights') ?? ''),
    chosen: parameters.get('flight') || undefined,
  };
}

export function formatState({ date, clock, flights, chosen }: ObservationsState): URLSearchParams {
  return new URLSearchParams([
    ...(date === undefined ? [] : [['date', date]]),
    ...(clock === undefined ? [] : [['time', clock]]),
    ...(flights.length === 0 ? [] : [['flights', flights.join(',')]]),
    ...(chosen === undefined ? [] : [['flight', chosen]]),
  ]);
}

/** Keys between blanks, commas and line breaks. */
export function splitKeys(text: string): readonly string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}
