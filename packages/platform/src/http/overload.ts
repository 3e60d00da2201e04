import type { MemoryBudget } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';
import type { Exchange } from './exchange.ts';
import type { HttpOptions } from './options.ts';
import type { Pressure } from './pressure.ts';
import { ProblemError } from './problem.ts';

type Limits = Pick<
  HttpOptions,
  'maxInFlight' | 'maxEventLoopDelayMs' | 'maxHeapBytes' | 'maxRssBytes' | 'maxBodyBytesInFlight'
>;

/** Owner of the memory of bodies that are being read. */
export const BODIES = 'bodies';

/** Refuses work before it starts when the server has as much as it can do, or is about to stop. */
export class Overload {
  inFlight = 0;
  bodyBytes = 0;
  isDraining = false;
  readonly #limits: Limits;
  readonly #gauge: { readonly current: Pressure };
  readonly #memory: Memory | undefined;

  constructor(limits: Limits, gauge: { readonly current: Pressure }, memory?: Memory) {
    this.#limits = limits;
    this.#gauge = gauge;
    this.#memory = memory;
  }

  /** Why a request that has just been counted in `inFlight` is refused; undefined when it is welcome. */
  refusal(): ProblemError | undefined {
    if (this.isDraining) return busy('the server is stopping; send the request again', 1);
    if (this.inFlight > this.#limits.maxInFlight) {
      return busy(`the server already works on ${this.#limits.maxInFlight} requests; try again shortly`, 1);
    }
    const { eventLoopDelayMs, heapBytes, rssBytes } = this.#gauge.current;
    if (eventLoopDelayMs > this.#limits.maxEventLoopDelayMs) {
      return busy('the server cannot keep up with its work; try again in 2 s', 2);
    }
    // A request that is alone is served: what holds the memory may never let it go.
    const isLarge = rssBytes > this.#limits.maxRssBytes && this.inFlight > 1;
    if (heapBytes > this.#limits.maxHeapBytes || isLarge) {
      return busy('the server is short of memory; try again in 5 s', 5);
    }
    return undefined;
  }

  /**
   * Counts a body of which so many bytes are known, in this process and in its memory; throws where there is no room.
   * The exchange gives both back.
   */
  countBody(exchange: Exchange, bytes: number): void {
    const more = bytes - exchange.bodyBytes;
    if (more <= 0) return;
    exchange.bodyBytes = bytes;
    this.bodyBytes += more;
    if (this.bodyBytes > this.#limits.maxBodyBytesInFlight) throw tooManyBodies();
    if (bytes > UNCOUNTED_BYTES) this.#takeMemory(exchange, bytes * MEMORY_PER_BYTE);
  }

  #takeMemory(exchange: Exchange, bytes: number): void {
    try {
      const held = exchange.bodyMemory;
      if (held !== undefined) held.grow(bytes - held.bytes);
      else if (this.#memory !== undefined) exchange.bodyMemory = this.#memory.take(BODIES, bytes);
    } catch (error) {
      throw error instanceof UnavailableError ? tooManyBodies() : error;
    }
  }
}

type Memory = Pick<MemoryBudget, 'take'>;

/** The bytes of a body, their text, and the values that it is parsed into. */
const MEMORY_PER_BYTE = 4;
/** Smaller bodies are not worth counting: all that may be in flight take a few MiB. */
const UNCOUNTED_BYTES = 65_536;

function tooManyBodies(): ProblemError {
  return busy('the server is taking in as many large bodies as it can hold; try again in 5 s', 5);
}

function busy(detail: string, retryAfterSeconds: number): ProblemError {
  return new ProblemError('overloaded', detail, { headers: { 'retry-after': String(retryAfterSeconds) } });
}
