import type { Static, TSchema } from 'typebox';
import type { JobContext, JobHandler, JobKind, JobOptions, JobRequest } from './jobs.ts';

/** A kind of job. Declared on its own, so code that enqueues it need not load what runs it. */
export function defineJob<Payload extends TSchema>(
  kind: Pick<JobKind<Payload>, 'name' | 'payload'> & Partial<JobKind<Payload>>,
): JobKind<Payload> {
  const made = {
    ...{ attempts: 5, backoffSeconds: 5, leaseSeconds: 20, timeLimitSeconds: 6 * 3600 },
    ...{ priority: 0, client: false, subject: () => '' },
    ...kind,
  };
  if (!/^[a-z][a-z0-9.-]{0,63}$/.test(made.name)) {
    throw new TypeError(`the job kind '${made.name}' must be a short lower-case name such as forecast.grid`);
  }
  checkRange(made, 'attempts', 1, 1000);
  checkRange(made, 'backoffSeconds', 0, 3600);
  checkRange(made, 'leaseSeconds', 0.1, 3600);
  // pg-boss ends an attempt after 24 h at the latest.
  checkRange(made, 'timeLimitSeconds', 0.1, 23 * 3600);
  return made;
}

/** What a job is about; empty where the kind is enough or unknown, or where another version made the payload. */
export function subjectOf(kind: JobKind | undefined, payload: unknown): string {
  try {
    return kind?.subject(payload) ?? '';
  } catch {
    return '';
  }
}

/** What runs a kind of job. */
export function handleJob<Payload extends TSchema>(
  kind: JobKind<Payload>,
  run: (payload: Static<Payload>, context: JobContext) => Promise<unknown>,
): JobHandler<Payload> {
  return { kind, run };
}

/** One job of a call to `enqueueAll`; other requests of the call may name it in their `after`. */
export function requestJob<Payload extends TSchema>(
  kind: JobKind<Payload>,
  payload: Static<Payload>,
  options: JobOptions = {},
): JobRequest {
  return { kind, payload, options };
}

type Setting = 'attempts' | 'backoffSeconds' | 'leaseSeconds' | 'timeLimitSeconds';

function checkRange(kind: JobKind, setting: Setting, min: number, max: number): void {
  const value = kind[setting];
  const whole = setting === 'attempts' || setting === 'backoffSeconds';
  if (value >= min && value <= max && (!whole || Number.isInteger(value))) return;
  throw new RangeError(
    `${setting} of the job kind '${kind.name}' is ${value}; it must be ${whole ? 'a whole number ' : ''}from ${min} to ${max}`,
  );
}
