/** Payload rules of Teoh et al. (Atmos. Chem. Phys. 24, 725–744, 2024): seats, load factors, type of operation. */
import { cargoLoadFactor, passengerLoadFactor, seatsOfType } from './load-factors.ts';

const PASSENGER_MASS_KG = 100;
const FEW_SEATS = 30;
const SHARE_WITHOUT_SEATS = 0.7;

/** What is known of a flight's load; what is missing is estimated. */
export interface PayloadKnowledge {
  readonly aircraftType: string;
  /** 'Passenger' unless given. */
  readonly aircraftRole?: string | undefined;
  readonly seatCount?: number | undefined;
  readonly passengerLoadFactor?: number | undefined;
  readonly cargoLoadFactor?: number | undefined;
  readonly payloadKg?: number | undefined;
  readonly originAirportIcao?: string | undefined;
  readonly destinationAirportIcao?: string | undefined;
  /** Great-circle distance between both airports [km], null where the place of one is unknown; absent unless both are given. */
  readonly airportDistanceKm?: number | null | undefined;
}

/** A payload and what it was made of. */
export interface Payload {
  readonly payloadKg: number;
  readonly aircraftRole: string;
  readonly seatCount: number;
  readonly passengerLoadFactor: number;
  readonly cargoLoadFactor: number;
}

/** Payload [kg] of a role, a number of seats and the two load factors. */
export function payloadMassKg(
  aircraftRole: string,
  seatCount: number,
  passengerFactor: number,
  cargoFactor: number,
  maxPayloadKg: number,
): number {
  if (aircraftRole === 'Cargo') return maxPayloadKg * cargoFactor;
  if (aircraftRole !== 'Passenger' || !(seatCount > FEW_SEATS)) return SHARE_WITHOUT_SEATS * maxPayloadKg;
  const cabinKg = seatCount * PASSENGER_MASS_KG;
  return cabinKg * passengerFactor + cargoFactor * (maxPayloadKg - cabinKg);
}

/**
 * Payload of a flight: the given one, else from its seats and load factors on the day of departure. Cargo load factors were
 * collected by the great-circle distance between airports (Dray et al. 2024); the flown distance [km] takes its place where
 * an airport is not given.
 */
export function estimatePayload(
  known: PayloadKnowledge,
  maxPayloadKg: number,
  departureMs: number,
  flownKm: number,
): Payload {
  const aircraftRole = known.aircraftRole ?? 'Passenger';
  const seatCount = known.seatCount ?? seatsOfType(known.aircraftType) ?? 0;
  const passengerFactor =
    known.passengerLoadFactor ?? passengerLoadFactor(known.originAirportIcao, departureMs);
  const cargoFactor =
    known.cargoLoadFactor ??
    cargoLoadFactor(
      known.originAirportIcao,
      known.destinationAirportIcao,
      known.airportDistanceKm === undefined ? flownKm : (known.airportDistanceKm ?? undefined),
      aircraftRole === 'Passenger',
    );
  return {
    payloadKg:
      known.payloadKg ?? payloadMassKg(aircraftRole, seatCount, passengerFactor, cargoFactor, maxPayloadKg),
    aircraftRole,
    seatCount,
    passengerLoadFactor: passengerFactor,
    cargoLoadFactor: cargoFactor,
  };
}
