import type { Fault } from '../../errors.ts';
import { MAX_ERRORS, Rejected } from '../../http/rejected.ts';

/** Faults of a body as they are found; beyond those that an answer lists they are only counted. */
export class FaultList {
  readonly #listed: Fault[] = [];
  #more = 0;

  get isEmpty(): boolean {
    return this.#listed.length === 0;
  }

  /** Whether something is wrong with a field. */
  has(field: string): boolean {
    return this.#listed.some(({ loc }) => loc[1] === field);
  }

  /** The sentence is only made when it will be read. */
  add(field: string, index: number | undefined, sentence: () => string, type: string): void {
    if (this.#listed.length >= MAX_ERRORS) {
      this.#more++;
      return;
    }
    const loc = index === undefined ? ['body', field] : ['body', field, index];
    this.#listed.push({ loc, msg: sentence(), type });
  }

  rejected(): Rejected {
    return new Rejected(this.#listed, this.#more);
  }
}
