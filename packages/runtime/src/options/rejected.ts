import { type FieldError, ValidationError } from '../errors.ts';

/** How many errors an answer lists; the rest is counted. */
const MAX_ERRORS = 50;

/**
 * Stands in for an unacceptable query, path or body until every part of the request has been checked, so one answer
 * lists all errors.
 */
export class Rejected {
  readonly errors: readonly FieldError[];
  readonly more: number;

  constructor(errors: readonly FieldError[], more = 0) {
    this.errors = errors;
    this.more = more;
  }
}

/** All errors of the parts of a request in one error; undefined when every part is acceptable. */
export function errorsOf(...parts: readonly unknown[]): ValidationError | undefined {
  const rejected = parts.filter((part) => part instanceof Rejected);
  if (rejected.length === 0) return undefined;
  const errors = rejected.flatMap((part) => part.errors);
  const more = rejected.reduce((sum, part) => sum + part.more, 0);
  return validationError(errors, more);
}

/** What was read, or an error that names everything that is wrong with it. */
export function accepted<T>(read: T): Exclude<T, Rejected> {
  if (read instanceof Rejected) throw errorsOf(read);
  return read as Exclude<T, Rejected>;
}

/** The one rule of truncation: as many errors as an answer lists, and how many more there are. */
export function validationError(errors: readonly FieldError[], more = 0): ValidationError {
  return new ValidationError(errors.slice(0, MAX_ERRORS), more + Math.max(0, errors.length - MAX_ERRORS));
}

/** The error with further ones at its end, which are listed in any case. */
export function withMoreErrors(error: ValidationError, further: readonly FieldError[]): ValidationError {
  return new ValidationError([...error.errors.slice(0, MAX_ERRORS - further.length), ...further], error.more);
}

/** Errors as they are found; beyond those that an answer lists they are only counted. */
export class ErrorList {
  readonly #listed: FieldError[] = [];
  #more = 0;

  get isEmpty(): boolean {
    return this.#listed.length === 0;
  }

  get isFull(): boolean {
    return this.#listed.length >= MAX_ERRORS;
  }

  /** Whether something is wrong with a field of the body. */
  has(field: string): boolean {
    return this.#listed.some(({ loc }) => loc[1] === field);
  }

  /** The sentence is only made when it will be read. */
  add(loc: FieldError['loc'], sentence: string | (() => string), type: string): void {
    if (this.isFull) this.count();
    else this.#listed.push({ loc, msg: typeof sentence === 'string' ? sentence : sentence(), type });
  }

  /** Counts an error that is not worth explaining, because the list is full. */
  count(): void {
    this.#more++;
  }

  /** Adds what is wrong with a field of the body, or with one value of its list. */
  addField(field: string, index: number | undefined, sentence: () => string, type: string): void {
    this.add(index === undefined ? ['body', field] : ['body', field, index], sentence, type);
  }

  rejected(): Rejected {
    return new Rejected(this.#listed, this.#more);
  }
}
