import { type FieldError, ValidationError } from '@contrails/runtime/errors';
import Schema from 'typebox/schema';
import type { NewJob } from './engine.ts';
import { isJobId, jobId } from './identity.ts';
import { type JobKind, type JobRequest, MAX_PRIORITY } from './jobs.ts';

const MAX_ERRORS = 20;
const MAX_KEY_LENGTH = 500;

/** Checks the requests of one call and gives each its id; throws `ValidationError` with every error. */
export function prepareJobs(requests: readonly JobRequest[]): NewJob[] {
  const ids = new Map(requests.map((request) => [request, idOf(request)]));
  const errors: FieldError[] = [];
  const jobs = requests.map((request, index) => {
    const at = (name: string) => (requests.length === 1 ? [name] : [index, name]);
    const payload = checkPayload(request.kind, request.payload, at('payload'), errors);
    checkOptions(request, at, errors);
    return {
      ...settingsOf(request.kind),
      id: ids.get(request) ?? '',
      payload,
      owner: request.options.owner ?? null,
      priority: request.options.priority ?? request.kind.priority,
      runAtMs: request.options.runAtMs ?? null,
      after: parentsOf(request, ids, at('after'), errors),
    };
  });
  checkTwins(jobs, errors);
  if (errors.length > 0) {
    throw new ValidationError(errors.slice(0, MAX_ERRORS), Math.max(0, errors.length - MAX_ERRORS));
  }
  return jobs;
}

/** A stored payload, checked again: the kind may have changed since it was enqueued. */
export function parsePayload(kind: JobKind, payload: unknown): unknown {
  const errors: FieldError[] = [];
  checkPayload(kind, payload, ['payload'], errors);
  if (errors.length > 0) throw new ValidationError(errors);
  return payload;
}

/** Returns the plain JSON form of the payload, as the job gets it. */
function checkPayload(
  kind: JobKind,
  payload: unknown,
  loc: readonly (string | number)[],
  errors: FieldError[],
): unknown {
  const text = JSON.stringify(payload);
  const plain: unknown = text === undefined ? undefined : JSON.parse(text);
  const [, found] = Schema.Errors(kind.payload, plain);
  for (const error of found) {
    const path = error.instancePath.split('/').slice(1);
    errors.push({
      loc: [...loc, ...path],
      msg: `the payload of the job ${kind.name} is wrong at ${path.join('.') || 'its root'}: it ${error.message}`,
      type: error.keyword,
    });
  }
  // PostgreSQL can store neither of the two in text.
  if (text !== undefined && /\\u0000|\\ud[89a-f]/i.test(text.replaceAll('\\\\', ''))) {
    errors.push({
      loc,
      msg: `the payload of the job ${kind.name} contains NUL or an unpaired surrogate; remove it`,
      type: 'text',
    });
  }
  return plain;
}

function settingsOf(kind: JobKind) {
  const { name, attempts, backoffSeconds, leaseSeconds } = kind;
  return { kind: name, attempts, backoffSeconds, leaseSeconds };
}

/** Two requests for the same job are fine, but not two different ones: the second would be dropped silently. */
function checkTwins(jobs: readonly NewJob[], errors: FieldError[]): void {
  const first = new Map<string, string>();
  for (const [index, job] of jobs.entries()) {
    const text = JSON.stringify(job);
    if ((first.get(job.id) ?? text) !== text) {
      errors.push({
        loc: [index, 'key'],
        msg: `two different requests for the job ${job.kind} have the same key`,
        type: 'key',
      });
    }
    first.set(job.id, text);
  }
}

function idOf({ kind, options }: JobRequest): string {
  return jobId(kind.name, options.owner ?? null, options.key);
}

function checkOptions(
  { kind, options }: JobRequest,
  at: (name: string) => readonly (string | number)[],
  errors: FieldError[],
): void {
  const { priority = kind.priority, runAtMs = 0, key } = options;
  const refuse = (name: string, value: unknown, allowed: string) =>
    errors.push({
      loc: at(name),
      msg: `${name} of the job is ${value}; it must be ${allowed}`,
      type: 'option',
    });
  if (!Number.isInteger(priority) || Math.abs(priority) > MAX_PRIORITY) {
    refuse('priority', priority, `a whole number from ${-MAX_PRIORITY} to ${MAX_PRIORITY}`);
  }
  if (!Number.isFinite(new Date(runAtMs).getTime())) refuse('runAtMs', runAtMs, 'milliseconds since 1970');
  if (key !== undefined && (key.length === 0 || key.length > MAX_KEY_LENGTH)) {
    refuse('key', `${key.length} characters long`, `1 to ${MAX_KEY_LENGTH} characters long`);
  }
}

function parentsOf(
  { options }: JobRequest,
  ids: ReadonlyMap<JobRequest, string>,
  loc: readonly (string | number)[],
  errors: FieldError[],
): string[] {
  const parents = new Set<string>();
  for (const parent of options.after ?? []) {
    const id = typeof parent === 'string' ? parent.toLowerCase() : ids.get(parent);
    if (id !== undefined && isJobId(id)) parents.add(id);
    else {
      const msg = id === undefined ? 'a job that is not part of this call' : `'${id}', which is not a job id`;
      errors.push({ loc, msg: `the job is to wait for ${msg}`, type: 'after' });
    }
  }
  return [...parents];
}
