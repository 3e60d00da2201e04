import type { HttpOptions } from './options.ts';
import type { Pressure } from './pressure.ts';
import { ProblemError } from './problem.ts';

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
  readonly #gauge: { readonly current: Pressure };

  constructor(limits: Limits, gauge: { readonly current: Pressure }) {
    this.#limits = limits;
    this.#gauge = gauge;
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
