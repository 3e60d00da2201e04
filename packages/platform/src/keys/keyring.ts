import { timingSafeEqual } from 'node:crypto';
import { LruMap } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';
import { type ParsedKey, parseKey, secretMatches } from './format.ts';
import type { IssuedKey, Key, Keys } from './keys.ts';

export type Authentication =
  | { readonly ok: true; readonly key: Key }
  | { readonly ok: false; readonly reason: 'missing' | 'malformed' | 'unknown' | 'revoked' | 'expired' };

/**
 * Authenticates a key: synchronously when it is cached, which spares most requests a detour. Rejects with `UnavailableError`, and never
 * answers `unknown`, when the database cannot say.
 */
export interface Keyring {
  authenticate(header: string | readonly string[] | undefined): Authentication | Promise<Authentication>;
}

export interface KeyringOptions {
  readonly now?: () => number;
  /** Most keys remembered at once, known and unknown ones together. */
  readonly capacity?: number;
}

/** What was read is believed for so long; a change takes effect everywhere within this time and one query. */
const FRESH_MS = 2_000;
/** While the database is away what was read is believed longer, but still less than the 5 s promised. */
const FRESH_IN_OUTAGE_MS = 4_500;
/**
 * Before a caller is refused, what is older than this is read again: a key that was just made or rotated must not be
 * refused, because clients give up on a refusal.
 */
const FRESH_FOR_REFUSAL_MS = 250;

interface Entry {
  readonly found: Awaited<ReturnType<Keys['find']>>;
  readonly readMs: number;
  /** The secret once its hash was found right, so it need not be hashed for every request. */
  proven?: Buffer;
}

export function createKeyring(keys: Pick<Keys, 'find'>, options: KeyringOptions = {}): Keyring {
  const now = options.now ?? Date.now;
  const capacity = options.capacity ?? 10_000;
  const entries = new LruMap<string, Entry>({ capacity });
  const reading = new Map<string, Promise<Entry>>();

  const read = async (id: string): Promise<Entry> => {
    const readMs = now();
    const entry = { found: await keys.find(id), readMs };
    entries.set(id, entry);
    return entry;
  };
  /** Callers that ask for one id at once share one query. */
  const readShared = (id: string): Promise<Entry> => {
    const shared = reading.get(id) ?? read(id).finally(() => reading.delete(id));
    reading.set(id, shared);
    return shared;
  };
  const entryOf = async (id: string, freshMs: number, freshInOutageMs: number): Promise<Entry> => {
    const cached = entries.get(id);
    if (cached !== undefined && isWithin(cached, freshMs, now())) return cached;
    try {
      return await readShared(id);
    } catch (error) {
      const served = error instanceof UnavailableError && cached && isWithin(cached, freshInOutageMs, now());
      if (served) return cached;
      throw error;
    }
  };

  const inquire = async ({ id, secret }: ParsedKey): Promise<Authentication> => {
    const first = judge(await entryOf(id, FRESH_MS, FRESH_IN_OUTAGE_MS), secret, now());
    if (first.ok) return first;
    return judge(await entryOf(id, FRESH_FOR_REFUSAL_MS, FRESH_FOR_REFUSAL_MS), secret, now());
  };

  return {
    authenticate(header) {
      if (header === undefined || header === '') return { ok: false, reason: 'missing' };
      const parsed = typeof header === 'string' ? parseKey(header) : undefined;
      if (parsed === undefined) return { ok: false, reason: 'malformed' };
      const cached = entries.get(parsed.id);
      const nowMs = now();
      if (cached !== undefined && isWithin(cached, FRESH_MS, nowMs)) {
        const known = judge(cached, parsed.secret, nowMs);
        if (known.ok) return known;
      }
      return inquire(parsed);
    },
  };
}

/** Also accepts keys that are in no database: they end with this process, and no other one knows them. */
export function withOwnKeys(keyring: Keyring, own: readonly IssuedKey[]): Keyring {
  const known = own.map(({ key, text }) => ({ key, text: Buffer.from(text, 'latin1') }));
  return {
    authenticate(header) {
      const given = Buffer.from(typeof header === 'string' ? header : '', 'latin1');
      const found = known.find(({ text }) => text.length === given.length && timingSafeEqual(text, given));
      return found === undefined ? keyring.authenticate(header) : { ok: true, key: found.key };
    },
  };
}

/** An entry that seems to be read in the future was read before the clock was set back: its age is unknown. */
function isWithin(entry: Entry, freshMs: number, nowMs: number): boolean {
  return nowMs >= entry.readMs && nowMs - entry.readMs <= freshMs;
}

/** Compares the secret first: only a caller that has it learns whether the key is revoked or expired. */
function judge(entry: Entry, secret: string, nowMs: number): Authentication {
  const { found } = entry;
  if (found === undefined || !isProven(entry, secret, found.secretSha256))
    return { ok: false, reason: 'unknown' };
  const { key } = found;
  if (key.revokedMs !== null) return { ok: false, reason: 'revoked' };
  if (key.expiresMs !== null && key.expiresMs <= nowMs) return { ok: false, reason: 'expired' };
  return { ok: true, key };
}

/** Takes the same time wherever a wrong secret differs. */
function isProven(entry: Entry, secret: string, secretSha256: Uint8Array): boolean {
  const given = Buffer.from(secret, 'latin1');
  if (entry.proven?.length === given.length && timingSafeEqual(entry.proven, given)) return true;
  if (!secretMatches(secret, secretSha256)) return false;
  entry.proven = given;
  return true;
}
