import type { S3 } from '@aws-sdk/client-s3';
import { CancelledError, ContrailsError } from '@contrails/runtime/errors';
import { s3Error } from './errors.ts';

/** How to reach a bucket. Without the two keys the usual AWS sources of credentials are used. */
export interface S3Access {
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly forcePathStyle?: boolean | undefined;
  /** Requests without a signature, as public archives take them. */
  readonly isAnonymous?: boolean | undefined;
  readonly retryPolicy?: Partial<RetryPolicy> | undefined;
}

/** How long a server may take; one that stalls is given up, never waited on. */
interface RetryPolicy {
  readonly connectMs: number;
  /** For one attempt, from the request to the head of its answer. */
  readonly requestMs: number;
  /** The same for a request that carries up to one part of an object, or has the parts put together. */
  readonly uploadMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
  readonly attempts: number;
}

const RETRY_POLICY: RetryPolicy = {
  connectMs: 5_000,
  requestMs: 10_000,
  uploadMs: 120_000,
  idleMs: 20_000,
  attempts: 3,
};

/** Enough that bodies which slow clients read do not keep others from a connection. */
const CONNECTIONS = 256;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly attemptMs?: number;
  /** For all attempts together. */
  readonly totalMs?: number;
}

/** One bucket of one server. */
export interface Bucket {
  readonly name: string;
  readonly client: S3;
  readonly retryPolicy: RetryPolicy;
  /** Runs a request within its time, repeated when that helps. */
  call<T>(request: (limits: RequestLimits) => Promise<T>, options?: CallOptions): Promise<T>;
  /** The error of the service's tree for one of the client library. */
  toError(error: unknown): ContrailsError;
  close(): void;
}

interface RequestLimits {
  readonly abortSignal: AbortSignal;
  readonly requestTimeout: number;
}

const ANONYMOUS = { accessKeyId: 'anonymous', secretAccessKey: 'anonymous' };

export async function openBucket(name: string, access: S3Access): Promise<Bucket> {
  // Loaded here because it costs 35 MB and 0.2 s, which the users of a directory need not pay.
  const { S3 } = await import('@aws-sdk/client-s3');
  const retryPolicy: RetryPolicy = { ...RETRY_POLICY, ...access.retryPolicy };
  const { accessKeyId, secretAccessKey } = access;
  const client = new S3({
    region: access.region ?? 'us-east-1',
    ...(access.endpoint === undefined ? {} : { endpoint: access.endpoint }),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    // The client looks for credentials even where its signer needs none.
    ...(access.isAnonymous ? { credentials: ANONYMOUS, signer: { sign: async (request) => request } } : {}),
    forcePathStyle: access.forcePathStyle ?? false,
    maxAttempts: retryPolicy.attempts,
    // Not every S3-compatible server knows the newer checksums; the signature covers what is sent.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: retryPolicy.connectMs,
      throwOnRequestTimeout: true,
      socketTimeout: retryPolicy.idleMs,
      httpAgent: { keepAlive: true, maxSockets: CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: CONNECTIONS },
    },
  });
  const toError = (error: unknown) =>
    error instanceof ContrailsError ? error : s3Error(error, { bucket: name, endpoint: access.endpoint });
  return {
    name,
    client,
    retryPolicy,
    async call(request, options = {}) {
      const {
        signal,
        attemptMs = retryPolicy.requestMs,
        totalMs = attemptMs * retryPolicy.attempts,
      } = options;
      const overdue = new AbortController();
      const timer = setTimeout(() => overdue.abort(), totalMs);
      const abortSignal = signal === undefined ? overdue.signal : AbortSignal.any([signal, overdue.signal]);
      try {
        return await request({ abortSignal, requestTimeout: attemptMs });
      } catch (error) {
        if (signal?.aborted) throw new CancelledError('the work was cancelled');
        throw toError(error);
      } finally {
        clearTimeout(timer);
      }
    },
    toError,
    close: () => client.destroy(),
  };
}
