/** Numbers that the kernels of the plume step read in every run: options of the model, and the sun. */

import type { NumberTable, Vector, VectorLoop } from '../../vector/expression.ts';
import { reserveNumbers } from '../../vector/wasm/memory.ts';
import { finite } from '../../vector/wgsl/math.ts';

const NAMES = [
  'toMs',
  'dzM',
  'effectiveVerticalResolutionM',
  'windShearEnhancementExponent',
  'maxDepthM',
  'turbulentVerticalVelocityScale',
  'sedimentationImpactFactor',
  'maxHorizontalDiffusivity',
  'maxVerticalDiffusivity',
  'rfLwEnhancementFactor',
  'rfSwEnhancementFactor',
  'solarIrradiance',
  'sineOfDeclination',
  'cosineOfDeclination',
  'greenwichHourAngleDeg',
  // 1 where shortwave radiation is given upward, or as a part of what comes in; both 0 where it is net.
  'upwardShortwave',
  'albedoShortwave',
  // From the given to outgoing longwave radiation, and the least that it may be.
  'longwaveSign',
  'minLongwave',
  // Formation in grid cells: of the wake, and of the aircraft that crosses them.
  'initialWakeVortexDepth',
  'minActivatedEiN',
  'wingspanM',
  'eiH2o',
] as const;

export type ParameterName = (typeof NAMES)[number];

const table = reserveNumbers(NAMES.map(() => 0));

const INDICES = Object.fromEntries(NAMES.map((name, index) => [name, index])) as Record<
  ParameterName,
  number
>;

/** How many numbers there are. */
export const PARAMETER_COUNT = NAMES.length;

/** Whether a table is that of these numbers, rather than one of records. */
export const isParameters = (other: NumberTable): boolean => other === table;

/** The numbers as they are now; times [ms] count from `originMs`, because single precision holds no date. */
export function parametersInto(out: Float32Array, at: number, originMs: number): void {
  table.numbers.forEach((value, index) => {
    out[at + index] = finite(index === INDICES.toMs ? value - originMs : value);
  });
}

/** Writes what all stages that run from now on read. */
export function setParameter(name: ParameterName, value: number): void {
  table.numbers[INDICES[name]] = value;
}

/** The number of a parameter, the same in all rows. */
export function parameter(loop: VectorLoop<string>, name: ParameterName): Vector {
  return loop.parameter(table, INDICES[name]);
}
