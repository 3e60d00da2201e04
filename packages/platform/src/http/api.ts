import type { ScopeEntry } from '../keys/scopes.ts';
import type { ProblemKinds } from './problem.ts';

/** A group of endpoints in the description of the API. */
export interface Tag {
  readonly name: string;
  readonly description: string;
  /**
   * Its endpoints ignore the parameters of their siblings, and say so in a warning, because clients send one set of options to
   * all of them. Elsewhere parameters select rows, and ignoring one would return everything.
   */
  readonly sharesOptions?: boolean;
}

/** What the routes of families refer to by name. */
export interface Api {
  readonly scopes: readonly ScopeEntry[];
  readonly tags: readonly Tag[];
  /** Problems besides those of every service. */
  readonly problems: ProblemKinds;
}
