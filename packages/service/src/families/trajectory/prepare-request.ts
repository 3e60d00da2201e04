/** From flights that were read to what is computed, now or by a job. */
import type { Compute } from '../../compute/index.ts';
import { type Fault, ValidationError } from '../../errors.ts';
import { faultsOf, MOST_FAULTS } from '../../http/rejected.ts';
import { doubtsOf } from './doubts.ts';
import type { RequestFleet } from './fleet.ts';
import type { TrajectoryModel } from './models.ts';
import type { TrajectoryOptions } from './options.ts';
import { lackingNeeds } from './read-fleet.ts';
import { resampleFleet } from './resample-fleet.ts';

export interface TrajectoryRequest {
  readonly model: TrajectoryModel;
  /** Resampled already, where the options say so. */
  readonly fleet: RequestFleet;
  readonly options: TrajectoryOptions;
  /** Altitudes that look like another unit than feet, as they were sent. */
  readonly doubts: readonly Fault[];
}

/** Throws a `ValidationError` where the flights lack what is asked for, or cannot be resampled. */
export async function prepareRequest(
  model: TrajectoryModel,
  fleet: RequestFleet,
  options: TrajectoryOptions,
  compute: Compute,
  signal?: AbortSignal,
): Promise<TrajectoryRequest> {
  const lacking = faultsOf(undefined, undefined, lackingNeeds(model, fleet, options.includes));
  if (lacking !== undefined) throw lacking;
  // Resampling fills long gaps at low altitude with a cruise, which would hide that the altitudes are not feet.
  const doubts = doubtsOf(fleet);
  try {
    const { resampleS } = options;
    return {
      model,
      fleet: resampleS === undefined ? fleet : await resampleFleet(fleet, resampleS, compute, signal),
      options,
      doubts,
    };
  } catch (error) {
    throw withDoubts(error, doubts);
  }
}

/** A refusal with what looks wrong with the altitudes, which may be its reason. */
export function withDoubts(error: unknown, doubts: readonly Fault[]): unknown {
  if (!(error instanceof ValidationError) || doubts.length === 0) return error;
  return new ValidationError([...error.faults.slice(0, MOST_FAULTS - doubts.length), ...doubts], error.more);
}
