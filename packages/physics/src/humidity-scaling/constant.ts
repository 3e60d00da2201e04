import { rhiPerHumidityInto } from '../atmosphere/rh-per-humidity.ts';
import { type Column, inBlocks, requireSameLength } from '../numerics/columns.ts';
import { Scratch } from '../numerics/scratch.ts';
import { type HumidityScaling, requirePositive } from './scaling.ts';

export interface ConstantParams {
  readonly rhiAdj: number;
}

export const DEFAULT_CONSTANT_PARAMS: ConstantParams = { rhiAdj: 0.97 };

const scratch = new Scratch();

/** Specific humidity divided by a constant for what a weather model does not resolve (Schumann 2012, eq. 9). */
export function constantScaledHumidity(specificHumidity: number, { rhiAdj }: ConstantParams): number {
  return specificHumidity / rhiAdj;
}

/** The scaling of {@link constantScaledHumidity}. */
export function constantHumidityScaling(given: Partial<ConstantParams> = {}): HumidityScaling {
  const params = { ...DEFAULT_CONSTANT_PARAMS, ...given };
  requirePositive('rhi_adj', params.rhiAdj);
  const scaleBlock = scaleInto.bind(undefined, params);
  return {
    className: 'ConstantHumidityScaling',
    name: 'constant_scale',
    formula: 'rhi -> rhi / rhi_adj',
    parameters: { rhi_adj: params.rhiAdj },
    scaleInto: (outHumidity, outRhi, specificHumidity, temperatureK, pressurePa) =>
      inBlocks(scaleBlock, outHumidity, outRhi, specificHumidity, temperatureK, pressurePa),
  };
}

function scaleInto(
  params: ConstantParams,
  outHumidity: Column,
  outRhi: Column,
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
): void {
  requireSameLength(outHumidity, outRhi, specificHumidity);
  const n = outHumidity.length;
  const rhiPerHumidity = rhiPerHumidityInto(scratch.column(n), temperatureK, pressurePa);
  const scale = 1 / params.rhiAdj;
  for (let i = 0; i < n; i++) {
    const humidity = (specificHumidity[i] as number) * scale;
    outHumidity[i] = humidity;
    outRhi[i] = (rhiPerHumidity[i] as number) * humidity;
  }
}
