import { createLimiter } from '@contrails/runtime';
import { nextTurn } from '@contrails/runtime/turns';
import { endOfText } from './json-shape.ts';

/**
 * Text that is parsed in one go: a few milliseconds. Its list of numbers is large enough that the garbage collector leaves it
 * where it is.
 */
const SLICE_BYTES = 256 * 1024;

/** Texts beyond this many bytes are parsed one after another: what several have in hand would be collected together. */
const LARGE_BYTES = 8 * 2 ** 20;
const oneLarge = createLimiter(1);

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Parses JSON as `JSON.parse` does. A large text is parsed in slices between which other requests have their turn: runs of
 * whole elements of a list or members of an object, which `JSON.parse` reads itself. An element larger than a slice is
 * parsed in slices too.
 */
export async function parseJsonInTurns(
  bytes: Buffer,
  parse: (text: string) => unknown,
  sliceBytes = SLICE_BYTES,
): Promise<unknown> {
  if (bytes.length <= sliceBytes) return parse(bytes.toString('utf8'));
  const parser = new SlicedParser(bytes, parse, sliceBytes);
  return bytes.length <= LARGE_BYTES ? parser.run() : oneLarge(() => parser.run());
}

class SlicedParser {
  readonly #bytes: Buffer;
  readonly #parse: (text: string) => unknown;
  readonly #sliceBytes: number;
  #at = 0;

  constructor(bytes: Buffer, parse: (text: string) => unknown, sliceBytes: number) {
    this.#bytes = bytes;
    this.#parse = parse;
    this.#sliceBytes = sliceBytes;
  }

  async run(): Promise<unknown> {
    const value = await this.#value();
    if (this.#peek() !== undefined) throw this.#unexpected();
    return value;
  }

  /** The value that begins here: in slices where it is a large list or object. */
  async #value(): Promise<unknown> {
    const first = this.#peek();
    if (first !== OPEN_LIST && first !== OPEN_OBJECT) return this.#parseTo(this.#endOfValue());
    const end = this.#endOfValue(this.#sliceBytes);
    if (end !== undefined) return this.#parseTo(end);
    await nextTurn();
    this.#at += 1;
    return first === OPEN_LIST ? this.#list() : this.#object();
  }

  async #list(): Promise<unknown[]> {
    const runs: unknown[][] = [];
    const known = new KnownTexts();
    for (let isFirst = true; !this.#isClosed(CLOSE_LIST, isFirst); isFirst = false) {
      const end = this.#endOfRun();
      if (end === undefined) {
        runs.push([await this.#value()]);
        continue;
      }
      const run = this.#parseRun('[', end, ']') as unknown[];
      known.shareTexts(run);
      runs.push(run);
      await nextTurn();
    }
    // A list that grows leaves behind several times its size, and `flat` takes ten times as long.
    return ([] as unknown[]).concat(...runs);
  }

  async #object(): Promise<Record<string, unknown>> {
    const members: Record<string, unknown> = {};
    for (let isFirst = true; !this.#isClosed(CLOSE_OBJECT, isFirst); isFirst = false) {
      const end = this.#endOfRun();
      if (end === undefined) {
        if (this.#peek() !== QUOTE) throw this.#unexpected();
        const name = String(this.#parseTo(this.#endOfValue()));
        if (this.#peek() !== COLON) throw this.#unexpected();
        this.#at += 1;
        define(members, name, await this.#value());
        continue;
      }
      const run = this.#parseRun('{', end, '}') as Record<string, unknown>;
      for (const [name, value] of Object.entries(run)) define(members, name, value);
      await nextTurn();
    }
    return members;
  }

  /** Steps over what comes between two elements; true at the end of the list or object. */
  #isClosed(closing: number, isFirst: boolean): boolean {
    const next = this.#peek();
    if (next === closing) {
      this.#at += 1;
      return true;
    }
    if (isFirst) return false;
    if (next !== COMMA) throw this.#unexpected();
    this.#at += 1;
    if (this.#peek() === closing) throw this.#unexpected();
    return false;
  }

  /** Behind the last whole element within a slice; undefined where the first one is larger. */
  #endOfRun(): number | undefined {
    const bytes = this.#bytes;
    const limit = Math.min(bytes.length, this.#at + this.#sliceBytes);
    let end: number | undefined;
    let depth = 0;
    for (let at = this.#at; at < limit; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        at = endOfText(bytes, at) - 1;
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth++;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (depth === 0) return at;
        depth--;
      } else if (byte === COMMA && depth === 0) {
        end = at;
      }
    }
    return end;
  }

  #endOfValue(): number;
  #endOfValue(maxBytes: number): number | undefined;
  #endOfValue(maxBytes = Number.POSITIVE_INFINITY): number | undefined {
    const bytes = this.#bytes;
    const limit = Math.min(bytes.length, this.#at + maxBytes);
    if (bytes[this.#at] === QUOTE) return endOfText(bytes, this.#at);
    let depth = 0;
    for (let at = this.#at; at < limit; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        at = endOfText(bytes, at) - 1;
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth++;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (depth === 0) return at;
        depth--;
        if (depth === 0) return at + 1;
      } else if (depth === 0 && (byte === COMMA || byte === COLON)) {
        return at;
      }
    }
    return limit === bytes.length ? limit : undefined;
  }

  #parseTo(end: number): unknown {
    const value = this.#parse(this.#bytes.toString('utf8', this.#at, end));
    this.#at = end;
    return value;
  }

  #parseRun(open: string, end: number, close: string): unknown {
    if (end === this.#at) throw this.#unexpected();
    const value = this.#parse(`${open}${this.#bytes.toString('utf8', this.#at, end)}${close}`);
    this.#at = end;
    return value;
  }

  /** The next byte that is not white space. */
  #peek(): number | undefined {
    for (; this.#at < this.#bytes.length; this.#at++) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
    }
    return undefined;
  }

  #unexpected(): SyntaxError {
    if (this.#at >= this.#bytes.length) return new SyntaxError('Unexpected end of JSON input');
    const character = this.#bytes.toString('utf8', this.#at, this.#at + 4)[0];
    return new SyntaxError(`Unexpected token '${character}' at byte ${this.#at}`);
  }
}

/** Distinct texts that are remembered. */
const KNOWN_TEXTS = 4096;

/**
 * Keeps one of equal texts. A column of a fleet repeats the same ones; millions of them would take the garbage collector
 * hundreds of milliseconds at a time.
 */
class KnownTexts {
  readonly #texts = new Map<string, string>();

  shareTexts(values: unknown[]): void {
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (typeof value === 'string') values[i] = this.#oneOf(value);
    }
  }

  #oneOf(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size === KNOWN_TEXTS) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}

/** As `JSON.parse` does, also for the name `__proto__`. */
function define(members: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
}
