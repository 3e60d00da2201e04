import { type Column, requireSameLength } from '../columns.ts';
import { tabulatedRhiFactor } from '../saturation-table.ts';
import { type HumidityScaling, requirePositive } from './scaling.ts';

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
  return boost(rhi / params.rhiAdj, params.rhiBoostExponent, params.clipUpper);
}

function boost(rhi: number, exponent: number, highest: number): number {
  return rhi >= 1 ? Math.min(rhi ** exponent, highest) : rhi;
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
  const { rhiBoostExponent, clipUpper } = params;
  const scale = 1 / params.rhiAdj;
  const n = outHumidity.length;
  for (let i = 0; i < n; i++) {
    const k = (pressurePa[i] as number) * tabulatedRhiFactor(temperatureK[i] as number);
    const humidity = (specificHumidity[i] as number) * scale;
    const rhi = k * humidity;
    const boosted = boost(rhi, rhiBoostExponent, clipUpper);
    outRhi[i] = boosted;
    outHumidity[i] = boosted === rhi ? humidity : boosted / k;
  }
}
