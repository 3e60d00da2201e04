/**
 * Relative humidity per specific humidity [fraction per kg kg⁻¹], p/(ε e): what all humidities of a point share. Written as
 * the loops of saturation-table.ts.
 */
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { cubicRhFactor, cubicRhiFactor, isTabulated, rhFactor, rhiFactor } from './saturation-cubics.ts';

/** Over ice, from temperatures [K] and pressures [Pa]. */
export function rhiPerHumidityInto(
  out: Float64Array,
  temperatureK: Column,
  pressurePa: Column,
): Float64Array {
  requireSameLength(out, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    for (; i < n; i++) {
      const T = temperatureK[i] as number;
      if (!isTabulated(T)) break;
      out[i] = (pressurePa[i] as number) * cubicRhiFactor(T);
    }
    if (i < n) out[i] = (pressurePa[i] as number) * rhiFactor(temperatureK[i] as number);
  }
  return out;
}

/** Over liquid water, from temperatures [K] and pressures [Pa]. */
export function rhPerHumidityInto(out: Float64Array, temperatureK: Column, pressurePa: Column): Float64Array {
  requireSameLength(out, temperatureK, pressurePa);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    for (; i < n; i++) {
      const T = temperatureK[i] as number;
      if (!isTabulated(T)) break;
      out[i] = (pressurePa[i] as number) * cubicRhFactor(T);
    }
    if (i < n) out[i] = (pressurePa[i] as number) * rhFactor(temperatureK[i] as number);
  }
  return out;
}
