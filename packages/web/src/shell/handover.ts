/** Carries a flight from another view to the flight view. */
import type { FlightInput } from '../track.ts';

let handed: FlightInput | undefined;

export function handOver(flight: FlightInput): void {
  handed = flight;
}

/** The flight that was handed over, once. */
export function takeHanded(): FlightInput | undefined {
  const flight = handed;
  handed = undefined;
  return flight;
}
