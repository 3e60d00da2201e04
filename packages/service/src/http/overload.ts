import type { HttpOptions } from './options.ts';
import { ProblemError } from './problem.ts';

/** What the server measures of itself, about twice a second. */
export interface Pressure {
  readonly eventLoopDelay: number;
  readonly heapUsed: number;
  readonly rssBytes: number;
}

type Limits = Pick<
  HttpOptions,
  'maxInFlight' | 'maxEventLoopDelayMs' | 'maxHeapBytes' | 'maxRssBytes' | 'maxBodyBytesInFlight'
>;

/** Refuses work before it starts when the server has as much as it can do, or is about to stop. */
export class Overload {
  inFlight = 0;
  bodyBytes = 0;
  isDraining = false;
  readonly #limits: Limits;
  #pressure: () => Pressure = () => ({ eventLoopDelay: 0, heapUsed: 0, rssBytes: 0 });

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  measureWith(pressure: () => Pressure): void {
    this.#pressure = pressure;
  }

  /** Why a request that has just been counted in `inFlight` is refused; undefined when it is welcome. */
  refusal(): ProblemError | undefined {
    if (this.isDraining) return busy('the server is stopping; send the request again', 1);
    if (this.inFlight > this.#limits.maxInFlight) {
      return busy(`the server already works on ${this.#limits.maxInFlight} requests; try again shortly`, 1);
    }
    const { eventLoopDelay, heapUsed, rssBytes } = this.#pressure();
    if (eventLoopDelay > this.#limits.maxEventLoopDelayMs) {
      return busy('the server cannot keep up with its work; try again in 2 s', 2);
    }
    if (heapUsed > this.#limits.maxHeapBytes || rssBytes > this.#limits.maxRssBytes) {
      return busy('the server is short of memory; try again in 5 s', 5);
    }
    return undefined;
  }

  /** Why no more of a body is taken in; undefined when there is room for it. */
  bodyRefusal(): ProblemError | undefined {
    return this.bodyBytes > this.#limits.maxBodyBytesInFlight
      ? busy('the server is taking in as many large bodies as it can hold; try again in 5 s', 5)
      : undefined;
  }
}

function busy(detail: string, retryAfterSeconds: number): ProblemError {
  return new ProblemError('overloaded', detail, { headers: { 'retry-after': String(retryAfterSeconds) } });
}
