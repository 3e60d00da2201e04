import { type Column, inBlocks, requireSameLength } from '../columns.ts';
import { type PowerTable, quickPower, tabulatePower } from '../quick-power.ts';
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
  const power = tabulatePower(params.rhiBoostExponent);
  const scaleBlock = (outHumidity: Column, outRhi: Column, q: Column, T: Column, p: Column) =>
    scaleInto(outHumidity, outRhi, q, T, p, params, power);
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
      inBlocks(scaleBlock, outHumidity, outRhi, specificHumidity, temperatureK, pressurePa),
  };
}

function scaleInto(
  outHumidity: Column,
  outRhi: Column,
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
  params: ExponentialBoostParams,
  power: PowerTable,
): void {
  requireSameLength(outHumidity, outRhi, specificHumidity, temperatureK, pressurePa);
  const { clipUpper } = params;
  const scale = 1 / params.rhiAdj;
  const n = outHumidity.length;
  for (let i = 0; i < n; i++) {
    const k = (pressurePa[i] as number) * tabulatedRhiFactor(temperatureK[i] as number);
    const humidity = (specificHumidity[i] as number) * scale;
    const rhi = k * humidity;
    if (rhi >= 1) {
      const boosted = Math.min(quickPower(rhi, power), clipUpper);
      outRhi[i] = boosted;
      outHumidity[i] = boosted / k;
    } else {
      outRhi[i] = rhi;
      outHumidity[i] = humidity;
    }
  }
}
