/** From flights that were read to what is computed, now or by a job. */

import { type FieldError, ValidationError } from '@contrails/runtime/errors';
import { errorsOf, withMoreErrors } from '@contrails/runtime/options/rejected';
import { inTurns } from '@contrails/runtime/turns';
import type { Compute } from '../compute.ts';
import { unitHintsOf, unitWarningsOf } from './altitude-units.ts';
import type { RequestFleet } from './fleet.ts';
import type { TrajectoryModel } from './models.ts';
import type { TrajectoryOptions } from './options.ts';
import { missingInputs } from './read-fleet.ts';
import { resampleFleet } from './resample-fleet.ts';
import { sharesRadiation } from './run.ts';
import { requireSampleable } from './uncertainty.ts';

export interface TrajectoryRequest {
  readonly model: TrajectoryModel;
  /** Already resampled if the options ask for it. */
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
  if (options.uncertainty !== undefined && sharesRadiation(options)) {
    const msg =
      'contrail_contrail_overlapping cannot be sampled, because samples follow each flight alone; leave out uncertainty or the parameter';
    throw new ValidationError([
      { loc: ['body', 'parameters', 'contrail_contrail_overlapping'], msg, type: 'value_error' },
    ]);
  }
  const lacking = errorsOf(undefined, undefined, missingInputs(model, fleet, options));
  if (lacking !== undefined) throw lacking;
  // Resampling fills long gaps at low altitude with a cruise, which would hide that the altitudes are not feet.
  const unitWarnings = await inTurns(unitWarningsOf(fleet));
  try {
    const { resampleS, cleansAltitude = false, uncertainty } = options;
    const prepared =
      resampleS === undefined
        ? fleet
        : await resampleFleet(fleet, { stepS: resampleS, cleansAltitude }, compute, signal);
    if (uncertainty !== undefined) requireSampleable(uncertainty.samples, prepared.columns.timeMs.length);
    return {
      model,
      fleet: prepared,
      options,
      unitWarnings,
    };
  } catch (error) {
    throw withUnitWarnings(error, { fleet, unitWarnings });
  }
}

/** A refusal with what looks wrong with the altitudes, which may be its reason. */
export function withUnitWarnings(
  error: unknown,
  { fleet, unitWarnings }: Pick<TrajectoryRequest, 'fleet' | 'unitWarnings'>,
): unknown {
  if (!(error instanceof ValidationError)) return error;
  const isAboutAltitude = error.errors.some(({ loc }) => loc[1] === 'altitude');
  const hints = unitWarnings.length === 0 && isAboutAltitude ? unitHintsOf(fleet) : unitWarnings;
  return hints.length === 0 ? error : withMoreErrors(error, hints);
}
