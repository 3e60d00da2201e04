import { ContrailsError, RefusedError, UsageError, ValidationError } from '@contrails/runtime/errors';

/** Thrown by a handler when a further attempt would fail in the same way: the job fails for good at once. */
export class FinalJobError extends ContrailsError {}

export type Outcome =
  | { readonly type: 'done'; readonly result: unknown }
  | { readonly type: 'failed'; readonly error: unknown; readonly message: string; readonly final: boolean };

const MAX_MESSAGE_LENGTH = 4_000;

export function done(result: unknown): Outcome {
  return { type: 'done', result: plainJson(result) };
}

export function failed(error: unknown): Outcome {
  const final =
    error instanceof FinalJobError ||
    error instanceof RefusedError ||
    error instanceof ValidationError ||
    error instanceof UsageError;
  const message = storable(describe(error)).slice(0, MAX_MESSAGE_LENGTH);
  return { type: 'failed', error, message, final };
}

/** PostgreSQL can store neither NUL nor unpaired surrogates. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function plainJson(value: unknown): unknown {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (_, entry) => (typeof entry === 'string' ? storable(entry) : entry));
  } catch (cause) {
    throw new FinalJobError('what the job returned cannot be written as JSON', { cause });
  }
  return text === undefined ? null : JSON.parse(text);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const plain = error instanceof ContrailsError || error.name === 'Error';
  return plain && error.message !== '' ? error.message : `${error.name}: ${error.message}`;
}
