/** Rows and samples of a flight on threads, or here. */

import { CancelledError } from '@contrails/runtime/errors';
import { type Compute, type KernelAddress, kernelAt } from '../compute.ts';
import {
  type FlightPlanInput,
  type PlanSamples,
  type PlanSamplesWork,
  preparePlanSamples,
  prepareRows,
  type RowOutcome,
  type RowSpec,
  type RowWork,
  SAMPLES_AT_ONCE,
} from './rows.ts';

export interface RowServices {
  /** Threads; without them rows are computed here. */
  readonly compute?: Compute | undefined;
  /** Into how many blocks the rows of a flight are cut. */
  readonly blocks: number;
  readonly signal?: AbortSignal | undefined;
  readonly onComputeMs?: ((ms: number) => void) | undefined;
  /** Called with the number of rows that were computed. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

const rowsKernel = kernelAt<typeof import('./rows.kernel.ts').default>(
  new URL('./rows.kernel.ts', import.meta.url),
);
const samplesKernel = kernelAt<typeof import('./samples.kernel.ts').default>(
  new URL('./samples.kernel.ts', import.meta.url),
);

export async function evaluateRows(
  input: FlightPlanInput,
  rows: readonly RowSpec[],
  services: RowServices,
): Promise<RowOutcome[]> {
  if (rows.length === 0) return [];
  const count = Math.min(rows.length, services.blocks);
  const blocks = Array.from({ length: count }, (_, block) =>
    rows.flatMap((_row, r) => (r % count === block ? [r] : [])),
  );
  const work: RowWork = { ...input, rows, blocks };
  const results = await runBlocks(services, blocks.length, () => prepareRows(work), rowsKernel, work);
  const outcomes = new Array<RowOutcome>(rows.length);
  blocks.forEach((ofBlock, block) => {
    ofBlock.forEach((r, k) => {
      outcomes[r] = results[block]?.[k] as RowOutcome;
    });
  });
  services.onRows?.(rows.length);
  return outcomes;
}

/** The chosen samples of all rows, `SAMPLES_AT_ONCE` in each block. */
export function evaluateSamples(work: PlanSamplesWork, services: RowServices): Promise<PlanSamples[]> {
  const blocks = Math.ceil(work.chosen.length / SAMPLES_AT_ONCE);
  return runBlocks(services, blocks, () => preparePlanSamples(work), samplesKernel, work);
}

async function runBlocks<Work, Result>(
  { compute, signal, onComputeMs }: RowServices,
  blocks: number,
  prepareHere: () => (block: number, onStep: () => void) => Result,
  kernel: KernelAddress<Work, Result>,
  work: Work,
): Promise<Result[]> {
  if (compute !== undefined) {
    return compute.parallel(kernel, work, blocks, {
      ...(signal === undefined ? {} : { signal }),
      ...(onComputeMs === undefined ? {} : { onComputeMs }),
    });
  }
  const run = prepareHere();
  return Array.from({ length: blocks }, (_, block) =>
    run(block, () => {
      if (signal?.aborted) throw new CancelledError('the work was cancelled', { cause: signal.reason });
    }),
  );
}
