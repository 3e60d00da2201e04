import { SECOND_MS, withRetry } from '@contrails/runtime';
import { MetError } from '../../errors.ts';

export interface HttpLimits {
  /** How long a server may send nothing before the attempt fails [ms]. */
  readonly stallMs: number;
  /** Requests for an object before the store counts as unavailable. */
  readonly attempts: number;
  /** Pause before the second attempt, doubled before each further one [ms]. */
  readonly pauseMs: number;
}

export const HTTP_LIMITS: HttpLimits = { stallMs: 30_000, attempts: 4, pauseMs: 250 };

export interface HttpObject {
  readonly bytes: Uint8Array;
  readonly etag: string | undefined;
  /** The whole object; true also where a server ignores the range. */
  readonly isWhole: boolean;
}

/** The longest pause between attempts, whatever a server requests [ms]. */
const MAX_PAUSE_MS = 10_000;

/** Responses worth another attempt. */
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Gets an object, or the range of it that `headers` name; undefined when there is no such object. */
export async function httpGet(
  url: string,
  headers: () => Promise<Record<string, string>>,
  limits: HttpLimits,
): Promise<HttpObject | undefined> {
  let attempts = 0;
  const attempt = async () => {
    attempts += 1;
    return fetchOnce(url, await headers(), limits.stallMs);
  };
  try {
    return await withRetry(attempt, {
      attempts: limits.attempts,
      pauseMs: limits.pauseMs,
      maxPauseMs: MAX_PAUSE_MS,
      isTransient: (error) => !(error instanceof Refusal) || TRANSIENT.has(error.status),
      pauseOf: (error) => (error instanceof Refusal ? error.retryAfterMs : undefined),
    });
  } catch (error) {
    if (error instanceof MetError) throw error;
    if (error instanceof Refusal && error.status === 404) return undefined;
    const status = error instanceof Refusal && !TRANSIENT.has(error.status) ? error.status : undefined;
    const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
    throw new MetError('unavailable', `${url} cannot be had${tries}: ${reasonOf(error)}`, {
      url,
      attempts,
      status,
    });
  }
}

const REMEDIES: Readonly<Record<number, string>> = {
  401: '; it wants credentials',
  403: '; it is not public, or the credentials are not those it wants (for s3:// see s3_signed)',
  412: '; the object was replaced while it was read; try again',
};

class Refusal extends Error {
  readonly status: number;
  /** The pause that the server requests. */
  readonly retryAfterMs: number | undefined;

  constructor({ status, headers }: Response) {
    super(`it answers ${status}${REMEDIES[status] ?? ''}`);
    this.status = status;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfterMs = Number.isNaN(seconds) ? undefined : seconds * SECOND_MS;
  }
}

async function fetchOnce(url: string, headers: Record<string, string>, stallMs: number): Promise<HttpObject> {
  const stall = new AbortController();
  const abort = () => stall.abort(new Error(`it sends nothing for ${stallMs / 1000} s`));
  let timer = setTimeout(abort, stallMs);
  try {
    const response = await fetch(url, {
      signal: stall.signal,
      headers: { 'accept-encoding': 'identity', ...headers },
    });
    const etag = response.headers.get('etag') ?? undefined;
    if (!response.ok) {
      await response.body?.cancel();
      // The range is empty: the object ends before it.
      if (response.status === 416) return { bytes: new Uint8Array(0), etag, isWhole: false };
      throw new Refusal(response);
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body ?? []) {
      clearTimeout(timer);
      timer = setTimeout(abort, stallMs);
      pieces.push(piece);
    }
    return { bytes: Buffer.concat(pieces), etag, isWhole: response.status !== 206 };
  } catch (error) {
    throw stall.signal.aborted ? stall.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
