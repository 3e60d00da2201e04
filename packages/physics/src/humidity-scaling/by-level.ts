import { levelFromAltitudeM } from '../atmosphere/isa.ts';
import { tabulatedRhiFactor } from '../atmosphere/saturation-table.ts';
import { TROPOPAUSE_M } from '../constants.ts';
import { InputError } from '../errors.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { lerp } from '../numerics/lerp.ts';
import { type HumidityScaling, requirePositive } from './scaling.ts';

export interface ByLevelParams {
  readonly rhiAdjMidTroposphere: number;
  readonly rhiAdjStratosphere: number;
  /** Altitudes as fractions of the ISA tropopause. */
  readonly midTroposphereThreshold: number;
  readonly stratosphereThreshold: number;
}

export const DEFAULT_BY_LEVEL_PARAMS: ByLevelParams = {
  rhiAdjMidTroposphere: 0.8,
  rhiAdjStratosphere: 1,
  midTroposphereThreshold: 0.8,
  stratosphereThreshold: 1,
};

/** Divisor of relative humidity over ice at a pressure [Pa], linear between the two thresholds (Schumann 2012). */
export function rhiDivisorByLevel(pressurePa: number, params: ByLevelParams): number {
  return lerp(pressurePa / 100, thresholdsHpa(params), divisors(params));
}

/** Levels [hPa] between which the divisor changes, the higher one first. */
export function thresholdsHpa(params: ByLevelParams): [number, number] {
  return [
    levelFromAltitudeM(TROPOPAUSE_M * params.stratosphereThreshold),
    levelFromAltitudeM(TROPOPAUSE_M * params.midTroposphereThreshold),
  ];
}

/** At the thresholds. */
export function divisors(params: ByLevelParams): [number, number] {
  return [params.rhiAdjStratosphere, params.rhiAdjMidTroposphere];
}

/** The scaling by {@link rhiDivisorByLevel}. */
export function humidityScalingByLevel(given: Partial<ByLevelParams> = {}): HumidityScaling {
  const params = { ...DEFAULT_BY_LEVEL_PARAMS, ...given };
  requirePositive('rhi_adj_mid_troposphere', params.rhiAdjMidTroposphere);
  requirePositive('rhi_adj_stratosphere', params.rhiAdjStratosphere);
  if (!(params.stratosphereThreshold > params.midTroposphereThreshold)) {
    throw new InputError(
      `stratosphere_threshold ${params.stratosphereThreshold} must lie above mid_troposphere_threshold ${params.midTroposphereThreshold}`,
      { ...params },
    );
  }
  return {
    className: 'HumidityScalingByLevel',
    name: 'constant_scale_by_level',
    formula: 'rhi -> rhi / rhi_adj',
    parameters: {
      rhi_adj_mid_troposphere: params.rhiAdjMidTroposphere,
      rhi_adj_stratosphere: params.rhiAdjStratosphere,
      mid_troposphere_threshold: params.midTroposphereThreshold,
      stratosphere_threshold: params.stratosphereThreshold,
    },
    scaleInto: (outHumidity, outRhi, specificHumidity, temperatureK, pressurePa) =>
      scaleInto(outHumidity, outRhi, specificHumidity, temperatureK, pressurePa, params),
  };
}

function scaleInto(
  outHumidity: Column,
  outRhi: Column,
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
  params: ByLevelParams,
): void {
  requireSameLength(outHumidity, outRhi, specificHumidity, temperatureK, pressurePa);
  const levels = thresholdsHpa(params);
  const values = divisors(params);
  const n = outHumidity.length;
  for (let i = 0; i < n; i++) {
    const pressure = pressurePa[i] as number;
    const humidity = (specificHumidity[i] as number) / lerp(pressure / 100, levels, values);
    outHumidity[i] = humidity;
    outRhi[i] = humidity * pressure * tabulatedRhiFactor(temperatureK[i] as number);
  }
}
