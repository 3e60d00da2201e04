import { setTimeout as sleep } from 'node:timers/promises';
import { MetError } from '../../errors.ts';

export interface HttpLimits {
  /** A server that sends nothing for this long is given up [ms]. */
  readonly stallMs: number;
  /** How often an object is asked for before the store counts as unavailable. */
  readonly attempts: number;
  /** Pause before the second attempt, doubled before each further one [ms]. */
  readonly pauseMs: number;
}

export const HTTP_LIMITS: HttpLimits = { stallMs: 30_000, attempts: 4, pauseMs: 250 };

export interface HttpAnswer {
  readonly bytes: Uint8Array;
  readonly etag: string | undefined;
  /** The whole object, whether or not it was asked for. */
  readonly isWhole: boolean;
}

/** The longest pause a server may ask for [ms]. */
const LONGEST_PAUSE_MS = 10_000;

/** Answers worth another try. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Gets an object, or a range of it that `headers` ask for; undefined when it is not there. */
export async function httpGet(
  url: string,
  headers: () => Record<string, string>,
  limits: HttpLimits,
): Promise<HttpAnswer | undefined> {
  let failure = '';
  for (let attempt = 0; attempt < limits.attempts; attempt++) {
    let pauseMs = limits.pauseMs * 2 ** attempt;
    try {
      const answer = await fetchOnce(url, headers(), limits.stallMs);
      if (!('status' in answer)) return answer;
      if (answer.status === 404) return undefined;
      failure = `it answers ${answer.status}${REMEDIES[answer.status] ?? ''}`;
      if (!PASSING.has(answer.status)) throw unavailable(url, failure, attempt + 1, answer.status);
      pauseMs = Math.min(answer.retryAfterMs ?? pauseMs, LONGEST_PAUSE_MS);
    } catch (error) {
      if (error instanceof MetError) throw error;
      failure = reasonOf(error);
    }
    if (attempt + 1 < limits.attempts) await sleep(pauseMs);
  }
  throw unavailable(url, failure, limits.attempts);
}

const REMEDIES: Readonly<Record<number, string>> = {
  401: '; it wants credentials',
  403: '; it is not public, or the credentials are not those it wants (for s3:// see s3_signed)',
  412: '; the object was replaced while it was read; try again',
};

interface Refusal {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
}

async function fetchOnce(
  url: string,
  headers: Record<string, string>,
  stallMs: number,
): Promise<HttpAnswer | Refusal> {
  const stall = new AbortController();
  const giveUp = () => stall.abort(new Error(`it sends nothing for ${stallMs / 1000} s`));
  let timer = setTimeout(giveUp, stallMs);
  try {
    const response = await fetch(url, {
      signal: stall.signal,
      headers: { 'accept-encoding': 'identity', ...headers },
    });
    const etag = response.headers.get('etag') ?? undefined;
    if (!response.ok) {
      await response.body?.cancel();
      // Nothing lies in the range: the object ends before it.
      if (response.status === 416) return { bytes: new Uint8Array(0), etag, isWhole: false };
      return { status: response.status, retryAfterMs: retryAfterMs(response) };
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body ?? []) {
      clearTimeout(timer);
      timer = setTimeout(giveUp, stallMs);
      pieces.push(piece);
    }
    return { bytes: Buffer.concat(pieces), etag, isWhole: response.status !== 206 };
  } catch (error) {
    throw stall.signal.aborted ? stall.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

function retryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isNaN(seconds) ? undefined : seconds * 1000;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

function unavailable(url: string, failure: string, attempts: number, status?: number): MetError {
  const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
  return new MetError('unavailable', `${url} cannot be had${tries}: ${failure}`, { url, attempts, status });
}
