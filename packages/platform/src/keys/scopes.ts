import { UsageError } from '@contrails/runtime/errors';

/** Something a key can be allowed. */
export interface ScopeEntry {
  readonly name: string;
  readonly description: string;
  /** Only keys that were given the scope by name have it. */
  readonly restricted: boolean;
  /** It changes what others see: pages never offer it to visitors. */
  readonly writes?: boolean;
}

/** Everything a key can be allowed, by name. */
export interface Scopes {
  /** Ordinary ones first. */
  readonly all: readonly string[];
  /** What an ordinary key may do. */
  readonly ordinary: readonly string[];
  readonly restricted: readonly string[];
  /** What everyone may be shown where nothing is confidential. */
  readonly reading: readonly string[];
  /** Reads names separated by commas or blanks; each comes out once, in the order of `all`. */
  parse(text: string): string[];
}

export function composeScopes(entries: readonly ScopeEntry[]): Scopes {
  const namesOf = (some: readonly ScopeEntry[]) => some.map(({ name }) => name);
  const ordinary = entries.filter(({ restricted }) => !restricted);
  const restricted = entries.filter((entry) => entry.restricted);
  const ordered = [...ordinary, ...restricted];
  const all = namesOf(ordered);
  return {
    all,
    ordinary: namesOf(ordinary),
    restricted: namesOf(restricted),
    reading: namesOf(ordered.filter(({ writes }) => writes !== true)),
    parse(text) {
      const names = text.split(/[\s,]+/).filter((name) => name !== '');
      const unknown = names.filter((name) => !all.includes(name));
      if (names.length === 0 || unknown.length > 0) {
        const what = names.length === 0 ? 'no scope was given' : `scope ${unknown.join(', ')} does not exist`;
        throw new UsageError(`${what}; choose from ${all.join(', ')}`, { facts: { unknown, allowed: all } });
      }
      return all.filter((scope) => names.includes(scope));
    },
  };
}
