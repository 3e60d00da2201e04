/**
 * The order in which queued jobs run: higher numbers first, equal ones in the order of their creation. Every priority
 * of the service is in this table, because each one means something only beside the others.
 */
export const PRIORITY = {
  /** Finds out what there is to do. Takes a moment, and what is queued may be outdated. */
  plan: 1000,
  /** An image of a satellite: takes seconds, and is wanted minutes after it was taken. */
  observationFrame: { recent: 920, past: 840, again: -500 },
  /** A fleet that a client has posted and waits for. */
  clientFleet: 900,
  /** An hour of telemetry: takes seconds, while tasks of a forecast take minutes and are always queued. */
  telemetryHour: 900,
  /** The track of a flight that a client has asked for: takes seconds. */
  flightSearch: 870,
  /** Flights of the next images of a satellite. */
  attribution: 860,
  /** A day of the inventory whose units are done: short, and readers wait for it. */
  inventoryPublication: 860,
  /** A share of a day of the inventory; the whole day takes minutes, so the forecast can wait for it. */
  inventoryUnit: 850,
  /** Forecast for the aircraft classes, which the regions are made of. */
  forecastClass: { currentHour: 800, pastHour: 400 },
  /** An image of a satellite that does not exist: after the forecast of the current hour and the next three. */
  syntheticFrame: 796,
  /** Attribution of a past flight that a client has asked for. */
  attributedFlight: 500,
  /** A job without a priority of its own, such as maintenance. */
  unspecified: 0,
  /** A grid of the past that a client has asked for; it may take as long as a task of a forecast. */
  clientGrid: -50,
  /** Forecast for single aircraft types. */
  forecastType: { currentHour: -100, pastHour: -500 },
  /** Years of the past, for as long as nothing else is queued. */
  archive: -1000,
} as const;

export const MAX_PRIORITY = 1000;

/** Hours ahead run in their order, then past hours, the latest first; all of them before what comes next in the table. */
export const MAX_HOURS_APART = 399;

export function priorityOfHour(
  { currentHour, pastHour }: { readonly currentHour: number; readonly pastHour: number },
  hoursAhead: number,
): number {
  return (hoursAhead >= 0 ? currentHour : pastHour) - Math.min(Math.abs(hoursAhead), MAX_HOURS_APART);
}
