import { ZERO_CELSIUS_K } from '../constants.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';

/** Relative humidity over ice that an ice-supersaturated region must exceed. */
export const DEFAULT_RHI_THRESHOLD = 1;

/**
 * Ice-supersaturated region: 1 where it is colder than 0 °C and relative humidity over ice exceeds the threshold,
 * else 0; NaN where that humidity is unknown (an unknown temperature alone gives 0).
 */
export function issrFlag(rhi: number, temperatureK: number, rhiThreshold = DEFAULT_RHI_THRESHOLD): number {
  if (Number.isNaN(rhi)) return Number.NaN;
  return temperatureK < ZERO_CELSIUS_K && rhi > rhiThreshold ? 1 : 0;
}

/** Loop over {@link issrFlag}. */
export function issrInto(
  out: Column,
  rhi: Column,
  temperatureK: Column,
  rhiThreshold = DEFAULT_RHI_THRESHOLD,
): Column {
  requireSameLength(out, rhi, temperatureK);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = issrFlag(rhi[i] as number, temperatureK[i] as number, rhiThreshold);
  }
  return out;
}
