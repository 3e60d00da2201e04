/**
 * The plume step as loops over four rows at a time. Each loop has the formulas of a stage; the functions of a single
 * point that they follow are in the files of the model, and tests hold the two against each other.
 */
import { compileKernels, type Kernel } from '../../vector/wasm/kernels.ts';
import { type PlumeTable, TABLE_COLUMNS } from '../plumes.ts';
import { describeAir, mixIce, shine } from './air.ts';
import { force, forceByGivenHabits } from './forcing.ts';
import { addEnergy, disperse, move, shearAcrossChain } from './motion.ts';
import { measureChain } from './segment.ts';
import { describePlumes, describeSurroundings } from './state.ts';

export { setOptions, setRadiationPair, setSource, setTime } from './settings.ts';

export const PLUME_STAGES = {
  move,
  measureChain,
  disperse,
  describeAir,
  mixIce,
  shine,
  describeSurroundings,
  describePlumes,
  force,
  forceByGivenHabits,
  shearAcrossChain,
  addEnergy,
};

let kernels: Readonly<Record<keyof typeof PLUME_STAGES, Kernel>> | undefined;

/** Runs a stage over the first `count` rows of a table. */
export function runStage(
  stage: keyof typeof PLUME_STAGES,
  { flight, waypoint }: PlumeTable,
  count: number,
): void {
  kernels ??= compileKernels(TABLE_COLUMNS, PLUME_STAGES);
  kernels[stage](flight.byteOffset, waypoint.byteOffset - flight.byteOffset, count);
}
