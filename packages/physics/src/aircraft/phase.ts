import { requireSameLength } from '../numerics/columns.ts';

/** Codes of the flight phase. */
export const FLIGHT_PHASE = { climb: 1, cruise: 2, descent: 3, level: 4, unknown: 5 } as const;

export type FlightPhase = (typeof FLIGHT_PHASE)[keyof typeof FLIGHT_PHASE];

const CRUISE_ROCD_FT_MIN = 250;
const CRUISE_FLOOR_FT = 20000;

/** Phase of a segment from its rate of climb or descent [ft min⁻¹] and its altitude [ft]. */
export function flightPhase(rocdFtMin: number, altitudeFt: number): FlightPhase {
  if (Number.isNaN(rocdFtMin)) return FLIGHT_PHASE.unknown;
  if (Math.abs(rocdFtMin) < CRUISE_ROCD_FT_MIN && altitudeFt > CRUISE_FLOOR_FT) return FLIGHT_PHASE.cruise;
  if (rocdFtMin > 0) return FLIGHT_PHASE.climb;
  if (rocdFtMin < 0) return FLIGHT_PHASE.descent;
  return FLIGHT_PHASE.level;
}

/** Loop over {@link flightPhase}. */
export function flightPhaseInto<Out extends Uint8Array | Float64Array>(
  out: Out,
  rocdFtMin: Float64Array,
  altitudeFt: Float64Array,
): Out {
  requireSameLength(rocdFtMin, altitudeFt);
  for (let i = 0; i < out.length; i++) {
    out[i] = flightPhase(rocdFtMin[i] as number, altitudeFt[i] as number);
  }
  return out;
}
