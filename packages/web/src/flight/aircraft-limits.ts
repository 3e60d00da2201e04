/** How far the aircraft of the form fly, from the makers' published figures; rounded, with a usual load. */
import { distanceText, massText } from '../text.ts';

interface AircraftLimits {
  /** With a usual load and reserves [km]. */
  readonly rangeKm: number;
  /** Usable fuel of the standard tanks [kg]. */
  readonly tankKg: number;
}

const LIMITS: Readonly<Record<string, AircraftLimits>> = {
  A319: { rangeKm: 6_900, tankKg: 19_400 },
  A320: { rangeKm: 6_100, tankKg: 19_400 },
  A321: { rangeKm: 5_900, tankKg: 19_300 },
  A20N: { rangeKm: 6_300, tankKg: 19_100 },
  A21N: { rangeKm: 7_400, tankKg: 26_400 },
  A333: { rangeKm: 11_700, tankKg: 111_000 },
  A350: { rangeKm: 15_300, tankKg: 112_000 },
  A359: { rangeKm: 15_300, tankKg: 112_000 },
  B737: { rangeKm: 5_600, tankKg: 20_900 },
  B738: { rangeKm: 5_400, tankKg: 20_900 },
  B789: { rangeKm: 14_000, tankKg: 101_500 },
  B77W: { rangeKm: 13_600, tankKg: 145_500 },
};

/** Why an aircraft cannot fly so far; undefined if it can, or nothing is known of it. */
export function rangeWarning(aircraftType: string | undefined, kilometres: number): string | undefined {
  const limits = LIMITS[aircraftType ?? ''];
  if (limits === undefined || kilometres <= limits.rangeKm) return undefined;
  return `${distanceText(kilometres)} is beyond the range of the ${aircraftType} (about ${distanceText(limits.rangeKm)}). Choose another aircraft.`;
}

/** Held back for the approach and a diversion, as a share of the fuel of the flight. */
const RESERVE_SHARE = 0.08;

/** Whether the fuel of a computed flight, with a reserve, exceeds the tanks. */
export function tankWarning(aircraftType: string | undefined, fuelKg: number | null): string | undefined {
  const limits = LIMITS[aircraftType ?? ''];
  if (limits === undefined || fuelKg === null || fuelKg * (1 + RESERVE_SHARE) <= limits.tankKg)
    return undefined;
  return `The flight burns ${massText(fuelKg)}; with a reserve that is more than the tanks of the ${aircraftType} hold (about ${massText(limits.tankKg)}).`;
}
