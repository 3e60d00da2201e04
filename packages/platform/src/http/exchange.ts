import type { MemoryLease } from '@contrails/runtime';
import type { Rejected } from '@contrails/runtime/options/rejected';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Key } from '../keys/index.ts';

/** What the service notes on one request and its answer, from the first hook until the connection lets go of it. */
export class Exchange {
  /** Pattern of the route (`/v0/jobs/:id`). */
  route = UNMATCHED;
  /** Set once the caller is known. */
  key: Key | undefined;
  /** The place within the limits of its key that the request holds. */
  grant: { release(): void } | undefined;
  /** Handlers add what the request cost beyond parsing and sending. */
  computeSeconds = 0;
  /** Names in the query string that the route does not declare. */
  unknownParameters: Rejected | undefined;
  /** Bytes of the body held in memory. */
  bodyBytes = 0;
  /** What they take of the memory of the process. */
  bodyMemory: MemoryLease | undefined;

  /** An answer that goes on as long as the client stays: it is not work in flight, and takes no place of its key. */
  isStream = false;

  readonly startedMs = performance.now();
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  /** What the connection had carried before an answer of unknown length. */
  #bytesBefore = Number.NaN;
  #clientAborted: AbortController | undefined;

  /** To be called when the answer begins to go on for as long as the client stays. */
  readonly becomeStream: () => void;

  constructor(request: FastifyRequest, reply: FastifyReply, becomeStream: () => void) {
    this.#request = request;
    this.#reply = reply;
    this.becomeStream = becomeStream;
  }

  /** Aborts when the client goes away before it has its answer. Made on demand: most handlers need none. */
  get clientAborted(): AbortSignal {
    if (this.#clientAborted === undefined) {
      this.#clientAborted = new AbortController();
      if (this.isClosed) this.noteClosed();
    }
    return this.#clientAborted.signal;
  }

  /** Whether the connection has let go of the answer. */
  get isClosed(): boolean {
    return this.#reply.raw.closed;
  }

  get answered(): boolean {
    return this.#reply.raw.writableEnded;
  }

  /** To be called when the response is closed, however it ended. */
  noteClosed(): void {
    if (!this.answered) this.#clientAborted?.abort();
  }

  /** To be called before a stream is sent. */
  noteStream(): void {
    this.#bytesBefore = this.#request.raw.socket.bytesWritten;
  }

  /** Bytes of the answer's body; of a stream, what the connection carried. */
  bytesSent(): number {
    if (this.#request.method === 'HEAD') return 0;
    if (this.#bytesBefore >= 0) return this.#request.raw.socket.bytesWritten - this.#bytesBefore;
    return this.answered ? Number(this.#reply.getHeader('content-length') ?? 0) : 0;
  }
}

/** The route of requests that no route matches. */
const UNMATCHED = '(unmatched)';
