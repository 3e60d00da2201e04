import { ErrorWithFacts, type Facts } from '@contrails/runtime';

/**
 * Why weather is not available: the data are damaged or not what they claim (`unreadable`), the request lies outside them
 * (`outside`), names a source that is not configured (`unknown-source`) or needs more memory than weather may use (`too-large`),
 * a variable (`missing-variable`) or a time (`missing-time`) is missing, the storage does not respond (`unavailable`, worth
 * another try), or the data are no longer those that were described (`changed`, describe them again).
 */
export type MetErrorKind =
  | 'unreadable'
  | 'outside'
  | 'unknown-source'
  | 'too-large'
  | 'missing-variable'
  | 'missing-time'
  | 'unavailable'
  | 'changed';

/** Weather that is not available. */
export class MetError extends ErrorWithFacts {
  readonly kind: MetErrorKind;

  constructor(kind: MetErrorKind, message: string, facts: Facts = {}, options: { cause?: unknown } = {}) {
    super(message, { ...options, facts });
    this.name = 'MetError';
    this.kind = kind;
  }
}

/** The data of a source are others than those that were described. */
export function changed(source: string): MetError {
  return new MetError('changed', `${source} changed while it was read; ask again`, { source });
}
