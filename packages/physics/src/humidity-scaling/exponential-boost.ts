import { type Column, requireSameLength } from '../columns.ts';
import { ICE_TABLE, tabulatedSaturationIce } from '../saturation-table.ts';
import { type HumidityScaling, requirePositive, rhiPerHumidity } from './scaling.ts';

export interface ExponentialBoostParams {
  readonly rhiAdj: number;
  readonly rhiBoostExponent: number;
  readonly clipUpper: number;
}

export const DEFAULT_EXPONENTIAL_BOOST_PARAMS: ExponentialBoostParams = {
  rhiAdj: 0.97,
  rhiBoostExponent: 1.7,
  clipUpper: 1.7,
};

/** Relative humidity over ice divided by a constant, supersaturation raised to a power (Teoh et al. 2022). */
export function exponentialBoostRhi(rhi: number, params: ExponentialBoostParams): number {
  const scaled = rhi / params.rhiAdj;
  return scaled >= 1 ? Math.min(scaled ** params.rhiBoostExponent, params.clipUpper) : scaled;
}

/** The scaling of {@link exponentialBoostRhi}. */
export function exponentialBoostHumidityScaling(
  given: Partial<ExponentialBoostParams> = {},
): HumidityScaling {
  const params = { ...DEFAULT_EXPONENTIAL_BOOST_PARAMS, ...given };
  requirePositive('rhi_adj', params.rhiAdj);
  requirePositive('rhi_boost_exponent', params.rhiBoostExponent);
  requirePositive('clip_upper', params.clipUpper);
  return {
    className: 'ExponentialBoostHumidityScaling',
    name: 'exponential_boost',
    formula: 'rhi -> (rhi / rhi_adj) ^ rhi_boost_exponent',
    parameters: {
      rhi_adj: params.rhiAdj,
      rhi_boost_exponent: params.rhiBoostExponent,
      clip_upper: params.clipUpper,
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
  params: ExponentialBoostParams,
): void {
  requireSameLength(outHumidity, outRhi, specificHumidity, temperatureK, pressurePa);
  const ice = ICE_TABLE;
  for (let i = 0; i < outHumidity.length; i++) {
    const k = rhiPerHumidity(tabulatedSaturationIce(ice, temperatureK[i] as number), pressurePa[i] as number);
    const rhi = exponentialBoostRhi(k * (specificHumidity[i] as number), params);
    outRhi[i] = rhi;
    outHumidity[i] = rhi / k;
  }
}
