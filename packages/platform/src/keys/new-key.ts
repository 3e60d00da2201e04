import { UsageError } from '@contrails/runtime/errors';

/** Options of a new key; all but the name and, where no service defines ordinary scopes, the scopes have defaults. */
export interface NewKey {
  readonly name: string;
  readonly scopes?: readonly string[];
  /** Null or undefined: never. */
  readonly expiresMs?: number | null;
  readonly ratePerMinute?: number;
  readonly concurrency?: number;
}

/** What can be changed of a key; what is not given stays. */
export type KeyChange = Partial<NewKey>;

const DEFAULT_RATE_PER_MINUTE = 600;
const DEFAULT_CONCURRENCY = 25;

const MAX_NAME_LENGTH = 100;
const MAX_RATE_PER_MINUTE = 10_000_000;
const MAX_CONCURRENCY = 100_000;

/** Fills in the defaults; throws a `UsageError` that names the first field that cannot be accepted. */
export function checkNewKey(wanted: NewKey, nowMs: number) {
  const name = wanted.name.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name) || !name.isWellFormed()) {
    throw new UsageError(
      `the name of a key has 1 to ${MAX_NAME_LENGTH} printable characters, not ${quote(name)}`,
      {
        facts: { field: 'name' },
      },
    );
  }
  const expiresMs = wanted.expiresMs ?? null;
  if (expiresMs !== null && !(Number.isSafeInteger(expiresMs) && expiresMs > nowMs)) {
    throw new UsageError('the expiry of a key must be a time in the future', { facts: { field: 'expires' } });
  }
  const scopes = wanted.scopes ?? [];
  if (scopes.length === 0)
    throw new UsageError('a key needs at least one scope', { facts: { field: 'scopes' } });
  return {
    name,
    scopes,
    expiresMs,
    ratePerMinute: whole('rate', wanted.ratePerMinute ?? DEFAULT_RATE_PER_MINUTE, MAX_RATE_PER_MINUTE),
    concurrency: whole('concurrency', wanted.concurrency ?? DEFAULT_CONCURRENCY, MAX_CONCURRENCY),
  };
}

function whole(field: string, value: number, highest: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= highest) return value;
  throw new UsageError(`the ${field} of a key is a whole number from 1 to ${highest}, not ${value}`, {
    facts: { field, value },
  });
}

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH)}…` : text);
}
