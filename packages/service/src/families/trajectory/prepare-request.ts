/** From flights that were read to what is computed, now or by a job. */
import type { Compute } from '../../compute/index.ts';
import { type FieldError, ValidationError } from '../../errors.ts';
import { errorsOf, withMoreErrors } from '../../http/rejected.ts';
import type { RequestFleet } from '../../trajectories/fleet.ts';
import type { TrajectoryModel } from '../../trajectories/models.ts';
import type { TrajectoryOptions } from '../../trajectories/options.ts';
import { unitWarningsOf } from './altitude-units.ts';
import { missingInputs } from './read-fleet.ts';
import { resampleFleet } from './resample-fleet.ts';

export interface TrajectoryRequest {
  readonly model: TrajectoryModel;
  /** Resampled already, where the options say so. */
  readonly fleet: RequestFleet;
  readonly options: TrajectoryOptions;
  /** Altitudes that look like another unit than feet, as they were sent. */
  readonly unitWarnings: readonly FieldError[];
}

/** Throws a `ValidationError` where the flights lack what is asked for, or cannot be resampled. */
export async function prepareRequest(
  model: TrajectoryModel,
  fleet: RequestFleet,
  options: TrajectoryOptions,
  compute: Compute,
  signal?: AbortSignal,
): Promise<TrajectoryRequest> {
  if (options.cleansAltitude && options.resampleS === undefined) {
    const msg = 'clean has no effect without resample; give resample=60 or another step, or leave it out';
    throw new ValidationError([{ loc: ['query', 'clean'], msg, type: 'value_error' }]);
  }
  const lacking = errorsOf(undefined, undefined, missingInputs(model, fleet, options.includes));
  if (lacking !== undefined) throw lacking;
  // Resampling fills long gaps at low altitude with a cruise, which would hide that the altitudes are not feet.
  const unitWarnings = unitWarningsOf(fleet);
  try {
    const { resampleS, cleansAltitude = false } = options;
    return {
      model,
      fleet:
        resampleS === undefined
          ? fleet
          : await resampleFleet(fleet, { stepS: resampleS, cleansAltitude }, compute, signal),
      options,
      unitWarnings,
    };
  } catch (error) {
    throw withUnitWarnings(error, unitWarnings);
  }
}

/** A refusal with what looks wrong with the altitudes, which may be its reason. */
export function withUnitWarnings(error: unknown, unitWarnings: readonly FieldError[]): unknown {
  if (!(error instanceof ValidationError) || unitWarnings.length === 0) return error;
  return withMoreErrors(error, unitWarnings);
}
