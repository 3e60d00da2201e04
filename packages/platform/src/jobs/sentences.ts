import { ConflictError, type ContrailsError, NotFoundError } from '@contrails/runtime/errors';

/** The `error` of an attempt whose worker gave no sign of life for the length of its lease. */
export const WORKER_DIED = 'the worker that ran it died or stalled';

interface Cause {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly error: string | null;
}

/** The `error` of a job that was given up because of another one. */
export function givenUpBecause({ id, kind, state, error }: Cause): string {
  const ended = state === 'cancelled' ? 'was cancelled' : `failed: ${error}`;
  return `not run because it waits for job ${id} (${kind}), which ${ended}`;
}

export function noSuchJob(id: string): ContrailsError {
  return new NotFoundError(`there is no job ${id}`, { facts: { id } });
}

export function noSuchParent(after: readonly string[], found: readonly { id: string }[]): ContrailsError {
  const id = after.find((parent) => found.every((job) => job.id !== parent)) ?? '';
  return new NotFoundError(`there is no job ${id} to wait for`, { facts: { id } });
}

export function alreadyEnded(id: string, state: string): ContrailsError {
  return new ConflictError(`job ${id} cannot be cancelled: it has ended already (${state})`, {
    facts: { id, state },
  });
}

export function notRetried(id: string, state: string, cause: string | null): ContrailsError {
  const why =
    cause === null
      ? `it is ${state}; only failed and cancelled jobs can`
      : `it was given up because of job ${cause}; retry that one`;
  return new ConflictError(`job ${id} cannot be retried: ${why}`, { facts: { id, state, cause } });
}
