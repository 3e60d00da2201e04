import { lnPressureRatioFromAltitudeM } from '../atmosphere/isa.ts';
import { lnTheta } from '../atmosphere/sea-level.ts';
import { SURFACE_PRESSURE_PA } from '../constants.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { quickExp } from '../numerics/quick-exp.ts';
import { feetToMetres } from '../units.ts';

/** The air at every waypoint as the engines see it, computed once for performance and emissions. */
export interface Ambient {
  /** Pressure [Pa] of the standard atmosphere at the altitude. */
  readonly pressurePa: Float64Array;
  /** Logarithms of temperature and of that pressure over their values at sea level. */
  readonly lnTheta: Float64Array;
  readonly lnDelta: Float64Array;
}

/** Ambient air from pressure altitudes [ft] and air temperatures [K]. */
export function ambientInto(out: Ambient, altitudeFt: Float64Array, airTemperatureK: Float64Array): Ambient {
  const { pressurePa, lnTheta: theta, lnDelta: delta } = out;
  requireSameLength(pressurePa, theta, delta, altitudeFt, airTemperatureK);
  let [knownFt, ratio, pressure] = [Number.NaN, Number.NaN, Number.NaN];
  for (let i = 0; i < pressurePa.length; i++) {
    const feet = altitudeFt[i] as number;
    // In cruise an altitude is that of the waypoint before.
    if (feet !== knownFt) {
      knownFt = feet;
      ratio = lnPressureRatioFromAltitudeM(feetToMetres(feet));
      pressure = SURFACE_PRESSURE_PA * quickExp(ratio);
    }
    delta[i] = ratio;
    pressurePa[i] = pressure;
    theta[i] = lnTheta(airTemperatureK[i] as number);
  }
  return out;
}
