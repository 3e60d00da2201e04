import { rhiPerHumidityInto } from '../atmosphere/rh-per-humidity.ts';
import { type Column, inBlocks, MAX_BLOCK, requireSameLength } from '../numerics/columns.ts';
import { normalPower, type PowerTable, tabulatePower } from '../numerics/quick-power.ts';
import { Scratch } from '../numerics/scratch.ts';
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

const scratch = new Scratch();
/** Indices of the points to be boosted: a loop over them alone holds no condition, which compilers reward. */
const supersaturated = new Int32Array(MAX_BLOCK);

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
  const scaleBlock = scaleInto.bind(undefined, params, power);
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
  params: ExponentialBoostParams,
  powers: PowerTable,
  outHumidity: Column,
  outRhi: Column,
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
): void {
  requireSameLength(outHumidity, outRhi, specificHumidity);
  const n = outHumidity.length;
  const rhiPerHumidity = rhiPerHumidityInto(scratch.column(n), temperatureK, pressurePa);
  const { clipUpper } = params;
  const clippedFrom = clipUpper ** (1 / params.rhiBoostExponent);
  const scale = 1 / params.rhiAdj;
  let count = 0;
  for (let i = 0; i < n; i++) {
    const humidity = (specificHumidity[i] as number) * scale;
    const rhi = (rhiPerHumidity[i] as number) * humidity;
    outHumidity[i] = humidity;
    outRhi[i] = rhi;
    if (rhi >= 1) supersaturated[count++] = i;
  }
  for (let k = 0; k < count; k++) {
    const i = supersaturated[k] as number;
    const power = normalPower(Math.min(outRhi[i] as number, clippedFrom), powers);
    const boosted = Math.min(power, clipUpper);
    outRhi[i] = boosted;
    outHumidity[i] = boosted / (rhiPerHumidity[i] as number);
  }
}
