/** A leg of the telemetry as the inventory keeps it: its provenance, and the flight that the models take. */

import { createHash } from 'node:crypto';
import type { BuiltFlight, LegEnd } from '@contrails/flights';
import { summaryDate } from '@contrails/flights';
import type { FlightAirport, InventoryFlight, LegRow } from '@contrails/flights/inventory';
import { HOUR_MS, isoHour, MINUTE_MS } from '@contrails/runtime';

/** Everything of a flight but its minutes. */
export type FlightHead = Omit<InventoryFlight, 'columns'>;

export interface LegRecord {
  readonly row: LegRow;
  /** Null for legs that are not flights. */
  readonly flight: InventoryFlight | null;
}

/** Airlines and aircraft that the operator leaves out, in upper case. */
export interface Exclusions {
  readonly excludedAirlines: ReadonlySet<string>;
  readonly excludedAddresses: ReadonlySet<string>;
}

export interface LegPolicy extends Exclusions {
  /** Telemetry is complete up to this time [ms since 1970]. */
  readonly completeUntilMs: number;
}

/** Codes are compared in upper case, as telemetry has them. */
export function exclusionsOf({
  exclude_airlines,
  exclude_addresses,
}: {
  readonly exclude_airlines: readonly string[];
  readonly exclude_addresses: readonly string[];
}): Exclusions {
  const upperCase = (codes: readonly string[]) => new Set(codes.map((one) => one.toUpperCase()).sort());
  return { excludedAirlines: upperCase(exclude_airlines), excludedAddresses: upperCase(exclude_addresses) };
}

export function isExcluded(
  icaoAddress: string,
  airlineIata: string | null | undefined,
  { excludedAirlines, excludedAddresses }: Exclusions,
): boolean {
  return excludedAddresses.has(icaoAddress) || excludedAirlines.has(airlineIata?.toUpperCase() ?? '');
}

/** A leg goes on after a gap of up to 8 h in flight, and of up to 15 min near the ground. */
const MAX_GAP_MS = 8 * HOUR_MS;
const MAX_LOW_GAP_MS = 15 * MINUTE_MS;
const LOW_FT = 10_000;

/** The date that a leg belongs to. */
export function dateOfLeg({ flight, firstMs }: BuiltFlight): string {
  return summaryDate(flight?.columns.timeMs[0] ?? firstMs);
}

/** `imported` is given for flights that come from files. */
export function legRecord(
  built: BuiltFlight,
  policy: LegPolicy,
  imported?: InventoryFlight['imported'],
): LegRecord {
  const isFlight = built.outcome === 'ok' || built.outcome === 'partial';
  const stop = isFlight ? stopOf(built, policy) : undefined;
  const flight = isFlight && stop === undefined ? inventoryFlight(built, imported) : null;
  const attributes = built.healed?.attributes;
  const outcome = stop?.outcome ?? built.outcome;
  return {
    flight,
    row: {
      flight_id: built.flightId,
      icao_address: built.icaoAddress,
      callsign: attributes?.callsign ?? null,
      airline_iata: attributes?.airline_iata ?? null,
      aircraft_type_icao: attributes?.aircraft_type_icao ?? null,
      departure_airport_icao: attributes?.departure_airport_icao ?? null,
      arrival_airport_icao: attributes?.arrival_airport_icao ?? null,
      first_time: built.firstMs,
      last_time: built.lastMs,
      outcome,
      codes: [...new Set([outcome, ...built.codes])].join(','),
      detail: stop?.detail ?? null,
      cut_reason: built.cut,
      reports: built.reportCount,
      reports_used: built.usedCount,
      healing: built.healed === undefined ? null : JSON.stringify(built.healed.counts),
      settings: null,
      minutes_in: wholeMinutes(built.firstMs, built.lastMs),
      minutes_out: 0,
      minutes_imputed: 0,
      leg_hash: flight === null ? '' : legHash(flight),
    },
  };
}

/** Whole minutes between two times. */
function wholeMinutes(fromMs: number, toMs: number): number {
  return Math.max(0, Math.floor(toMs / MINUTE_MS) - Math.ceil(fromMs / MINUTE_MS));
}

/** Why a flight is not computed although nothing is wrong with it. */
function stopOf(
  { healed, icaoAddress, lastMs, flight }: BuiltFlight,
  { completeUntilMs, ...exclusions }: LegPolicy,
): { outcome: string; detail: string } | undefined {
  if (isExcluded(icaoAddress, healed?.attributes.airline_iata, exclusions)) {
    return { outcome: 'excluded_by_policy', detail: 'the configuration leaves this aircraft or airline out' };
  }
  const isLow = (flight?.columns.altitudeFt.at(-1) ?? 0) < LOW_FT;
  if (lastMs > completeUntilMs - (isLow ? MAX_LOW_GAP_MS : MAX_GAP_MS)) {
    const until = isoHour(completeUntilMs);
    return {
      outcome: 'waiting_telemetry',
      detail: `telemetry is complete until ${until}; the flight is computed when the hours after it are published`,
    };
  }
  return undefined;
}

function inventoryFlight(built: BuiltFlight, imported: InventoryFlight['imported']): InventoryFlight {
  const { healed, flight } = built;
  if (healed === undefined || flight === undefined) throw new TypeError(`${built.flightId} is not a flight`);
  const { attributes } = healed;
  return {
    flightId: built.flightId,
    icaoAddress: built.icaoAddress,
    callsign: attributes.callsign,
    tailNumber: attributes.tail_number,
    flightNumber: attributes.flight_number,
    airlineIata: attributes.airline_iata,
    aircraftType: attributes.aircraft_type_icao,
    departureIcao: attributes.departure_airport_icao,
    arrivalIcao: attributes.arrival_airport_icao,
    departure: airportOf(healed.departure),
    arrival: airportOf(healed.arrival),
    departureScheduledMs: attributes.departure_scheduled_time,
    arrivalScheduledMs: attributes.arrival_scheduled_time,
    isPartial: built.outcome === 'partial',
    unseen: [
      ...(built.codes.includes('origin_airport') ? (['departure'] as const) : []),
      ...(built.codes.includes('destination_airport') ? (['arrival'] as const) : []),
    ],
    grade: built.grade ?? 'D',
    quality: built.quality,
    reportCount: built.reportCount,
    usedCount: built.usedCount,
    satelliteShare: built.satelliteShare,
    maxGapS: built.maxGapS,
    firstReportMs: built.firstMs,
    lastReportMs: built.lastMs,
    ...(imported === undefined
      ? {}
      : { imported: { source: imported.source, icaoAddress: imported.icaoAddress } }),
    columns: {
      timeMs: flight.columns.timeMs,
      longitude: flight.columns.longitude,
      latitude: flight.columns.latitude,
      altitudeFt: flight.columns.altitudeFt.map(Math.fround),
      gapS: flight.gapS,
      imputed: flight.imputed,
    },
  };
}

function airportOf({ airport }: LegEnd): FlightAirport | null {
  return airport === undefined
    ? null
    : {
        longitude: airport.longitude,
        latitude: airport.latitude,
        elevationFt: airport.elevationFt,
        country: airport.country ?? null,
        continent: airport.continent ?? null,
      };
}

/** Equal for flights that the models treat alike. */
function legHash({ columns, ...head }: InventoryFlight): string {
  const hash = createHash('sha256').update(JSON.stringify(head));
  for (const column of Object.values(columns)) hash.update(column);
  return hash.digest('hex').slice(0, 32);
}
