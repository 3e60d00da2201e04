/** Numbers that the kernels of the plume step read in every run: options of the model, and the sun. */

import type { Vector, VectorLoop } from '../../vector/expression.ts';
import { reserveNumbers } from '../../vector/wasm/memory.ts';

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
] as const;

export type ParameterName = (typeof NAMES)[number];

const table = reserveNumbers(NAMES.map(() => 0));

const PLACES = Object.fromEntries(NAMES.map((name, index) => [name, index])) as Record<ParameterName, number>;

/** Writes what all stages that run from now on read. */
export function setParameter(name: ParameterName, value: number): void {
  table.numbers[PLACES[name]] = value;
}

/** The number of a parameter, the same in all rows. */
export function parameter(loop: VectorLoop<string>, name: ParameterName): Vector {
  return loop.parameter(table, PLACES[name]);
}
