import type { FastifyBaseLogger } from 'fastify';
import type { Log } from '../log.ts';

/**
 * `request.log`: every line has the id of the request. The logger behind it is made with the first line, since most
 * requests write none.
 */
export class RequestLog implements FastifyBaseLogger {
  readonly #log: Log;
  readonly #requestId: string;
  #made: Log | undefined;

  constructor(log: Log, requestId: string) {
    this.#log = log;
    this.#requestId = requestId;
  }

  get level(): string {
    return this.#log.level;
  }

  get #child(): Log {
    this.#made ??= this.#log.child({ request_id: this.#requestId });
    return this.#made;
  }

  child: FastifyBaseLogger['child'] = (...given) => this.#child.child(...given);
  fatal(...line: Line): void {
    this.#child.fatal(...line);
  }
  error(...line: Line): void {
    this.#child.error(...line);
  }
  warn(...line: Line): void {
    this.#child.warn(...line);
  }
  info(...line: Line): void {
    this.#child.info(...line);
  }
  debug(...line: Line): void {
    this.#child.debug(...line);
  }
  trace(...line: Line): void {
    this.#child.trace(...line);
  }
  silent(): void {}
}

type Line = [facts: object, message?: string];
