/**
 * An argument that no formula can answer: an unknown type, a value outside what the model allows.
 * `facts` carries the values: callers need not parse the sentence.
 */
export class InputError extends RangeError {
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Record<string, unknown> = {}) {
    super(message);
    this.name = 'InputError';
    this.facts = facts;
  }
}
