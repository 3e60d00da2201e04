/**
 * Why weather cannot be had: the data are damaged or not what they claim (`unreadable`), the request lies outside
 * them (`outside`), names a source that is not configured (`unknown-source`) or needs more memory than there is for
 * weather (`too-large`), a variable (`missing-variable`) or a time (`missing-time`) is not there, or the place they
 * are kept does not answer (`unavailable`, worth another try).
 */
export type MetErrorKind =
  | 'unreadable'
  | 'outside'
  | 'unknown-source'
  | 'too-large'
  | 'missing-variable'
  | 'missing-time'
  | 'unavailable';

/** Weather that cannot be had. `facts` carries the values so that callers need not parse the sentence. */
export class MetError extends Error {
  readonly kind: MetErrorKind;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    kind: MetErrorKind,
    message: string,
    facts: Record<string, unknown> = {},
    options?: { cause: unknown },
  ) {
    super(message, options);
    this.name = 'MetError';
    this.kind = kind;
    this.facts = facts;
  }
}
