import { ContrailsError, ErrorWithFacts } from '@contrails/runtime';

/**
 * Why a server does not give what is wanted: it may work the next time (`transient`), not on this server (`refused`), the file is
 * another one by now (`replaced`), has other contents than on another server (`different`), is sent as a whole only (`no-ranges`), or
 * its bytes are not what they should be (`damaged`).
 */
export type RemoteFailureKind = 'transient' | 'refused' | 'replaced' | 'different' | 'no-ranges' | 'damaged';

interface RemoteFailureOptions {
  readonly cause?: unknown;
  readonly status?: number;
  readonly retryAfterMs?: number;
}

export class RemoteFailure extends ErrorWithFacts {
  readonly kind: RemoteFailureKind;
  /** What the server did, to follow its address: `answered 500`. */
  readonly did: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: RemoteFailureKind, message: string, did: string, options: RemoteFailureOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    this.did = did;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** The same after the last try: this server has failed for good. */
  afterTries(tries: number, url: string): RemoteFailure {
    const times = COUNTS[tries] ?? `${tries} times`;
    return new RemoteFailure('refused', `${url} ${this.did} ${times}`, `${this.did} ${times}`, {
      cause: this,
      ...(this.status === undefined ? {} : { status: this.status }),
    });
  }
}

const COUNTS: readonly (string | undefined)[] = [
  undefined,
  'once',
  'twice',
  'three times',
  'four times',
  'five times',
];

/** What a sync ends with: what is wrong, and the remedy apart from it. */
export class SyncError extends ContrailsError {
  readonly kind: 'failed' | 'usage' | 'locked';
  readonly problem: string;
  readonly remedy: string;

  constructor(
    problem: string,
    remedy: string,
    options: { readonly cause?: unknown; readonly kind?: 'failed' | 'usage' | 'locked' } = {},
  ) {
    super(`${problem}; ${remedy}`, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = options.kind ?? 'failed';
    this.problem = problem;
    this.remedy = remedy;
  }
}
