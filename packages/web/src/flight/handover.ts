/** Carries a flight from another view to the flight view. */
import type { Track } from '../map/telemetry-tracks.ts';
import type { FlightInput } from './flight.ts';

let handed: FlightInput | undefined;

export function openTrack({ callsign, aircraftType, points }: Track): void {
  handed = { name: callsign, aircraftType, points };
}

/** The flight that was handed over, once. */
export function takeHanded(): FlightInput | undefined {
  const flight = handed;
  handed = undefined;
  return flight;
}
