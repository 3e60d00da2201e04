import { setTimeout as sleep } from 'node:timers/promises';
import { MetError } from '../../errors.ts';
import { beyondEnd, type ObjectStore, type Range } from './store.ts';

export interface HttpLimits {
  /** A server that sends nothing for this long is given up [ms]. */
  readonly stallMs: number;
  /** How often an object is asked for before the store counts as unavailable. */
  readonly attempts: number;
  /** Pause before the second attempt, doubled before each further one [ms]. */
  readonly pauseMs: number;
}

export const HTTP_LIMITS: HttpLimits = { stallMs: 30_000, attempts: 4, pauseMs: 250 };

/** The longest pause a server may ask for [ms]. */
const LONGEST_PAUSE_MS = 10_000;

/** Answers worth another try. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Objects of a web server or of a bucket that everybody may read. */
export function httpStore(url: string, query: string, limits: HttpLimits): ObjectStore {
  return {
    get: (key) => request(`${url}${encodePath(key)}${query}`, undefined, limits),
    getRange: (key, range) => request(`${url}${encodePath(key)}${query}`, range, limits),
  };
}

function encodePath(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/');
}

async function request(
  url: string,
  range: Range | undefined,
  limits: HttpLimits,
): Promise<Uint8Array | undefined> {
  let failure = '';
  for (let attempt = 0; attempt < limits.attempts; attempt++) {
    let pauseMs = limits.pauseMs * 2 ** attempt;
    try {
      const answer = await fetchOnce(url, range, limits.stallMs);
      if ('bytes' in answer) return answer.bytes;
      failure = `it answers ${answer.status}`;
      if (!PASSING.has(answer.status)) throw unavailable(url, failure, attempt + 1);
      pauseMs = Math.min(answer.retryAfterMs ?? pauseMs, LONGEST_PAUSE_MS);
    } catch (error) {
      if (error instanceof MetError) throw error;
      failure = reasonOf(error);
    }
    if (attempt + 1 < limits.attempts) await sleep(pauseMs);
  }
  throw unavailable(url, failure, limits.attempts);
}

type Answer =
  | { readonly bytes: Uint8Array | undefined }
  | { readonly status: number; readonly retryAfterMs: number | undefined };

async function fetchOnce(url: string, range: Range | undefined, stallMs: number): Promise<Answer> {
  const stall = new AbortController();
  const giveUp = () => stall.abort(new Error(`it sends nothing for ${stallMs / 1000} s`));
  let timer = setTimeout(giveUp, stallMs);
  try {
    const response = await fetch(url, {
      signal: stall.signal,
      headers: { 'accept-encoding': 'identity', ...(range ? { range: rangeHeader(range) } : {}) },
    });
    if (!response.ok) {
      await response.body?.cancel();
      if (response.status === 404) return { bytes: undefined };
      if (response.status === 416 && range !== undefined) throw beyondEnd(url, range, 0);
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      return {
        status: response.status,
        retryAfterMs: Number.isNaN(seconds) ? undefined : seconds * 1000,
      };
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body ?? []) {
      clearTimeout(timer);
      timer = setTimeout(giveUp, stallMs);
      pieces.push(piece);
    }
    const bytes = Buffer.concat(pieces);
    // A server that knows no ranges sends the whole object.
    const part = range !== undefined && response.status === 200 ? cutRange(bytes, range) : bytes;
    if (range !== undefined && 'length' in range && part.length < range.length) {
      throw beyondEnd(url, range, bytes.length);
    }
    return { bytes: part };
  } catch (error) {
    throw stall.signal.aborted ? stall.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

function rangeHeader(range: Range): string {
  if ('suffixLength' in range) return `bytes=-${range.suffixLength}`;
  return `bytes=${range.offset}-${range.offset + range.length - 1}`;
}

function cutRange(bytes: Uint8Array, range: Range): Uint8Array {
  if ('suffixLength' in range) return bytes.subarray(Math.max(bytes.length - range.suffixLength, 0));
  return bytes.subarray(range.offset, range.offset + range.length);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

function unavailable(url: string, failure: string, attempts: number): MetError {
  const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
  return new MetError('unavailable', `${url} cannot be had${tries}: ${failure}`, { url, attempts });
}
