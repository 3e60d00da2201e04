import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Key } from '../keys/index.ts';

/** What the service notes on one request and its answer, from the first hook until the connection lets go of it. */
export class Exchange {
  /** Pattern of the route (`/v0/jobs/:id`). */
  route = UNMATCHED;
  /** Set once the caller is known. */
  key: Key | undefined;
  /** Set once the request holds a place within the limits of its key. */
  release: (() => void) | undefined;
  /** Handlers add what the request cost beyond parsing and sending. */
  computeSeconds = 0;
  /** Bytes of the body held in memory. */
  bodyBytes = 0;

  readonly startedMs = performance.now();
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #bytesBefore: number;
  #hangUp: AbortController | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request;
    this.#reply = reply;
    this.#bytesBefore = request.raw.socket.bytesWritten;
  }

  /** Aborts when the client goes away before it has its answer. Made on demand: most handlers need none. */
  get hangUp(): AbortSignal {
    if (this.#hangUp === undefined) {
      this.#hangUp = new AbortController();
      if (this.#reply.raw.closed) this.noteClosed();
    }
    return this.#hangUp.signal;
  }

  get answered(): boolean {
    return this.#reply.raw.writableEnded;
  }

  /** To be called when the response is closed, however it ended. */
  noteClosed(): void {
    if (!this.answered) this.#hangUp?.abort();
  }

  /** Bytes of the answer's body; where its length was not declared or not reached, what the connection carried. */
  bytesSent(): number {
    if (this.#request.method === 'HEAD') return 0;
    const declared = Number(this.#reply.getHeader('content-length') ?? Number.NaN);
    if (this.answered && declared >= 0) return declared;
    const carried = this.#request.raw.socket.bytesWritten - this.#bytesBefore;
    return Math.max(0, carried) || 0;
  }
}

/** The route of requests that no route matches. */
const UNMATCHED = '(unmatched)';
