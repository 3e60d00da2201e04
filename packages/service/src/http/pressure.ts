import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How much the process has to bear. */
export interface Pressure {
  readonly eventLoopDelayMs: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
}

const SAMPLE_MS = 500;
const RESOLUTION_MS = 10;

/**
 * Measures the process twice a second. One long task, such as reading a large body, delays everything for a moment and
 * is over; the delay counts only while two measurements in a row have it.
 */
export class PressureGauge {
  #current: Pressure = { eventLoopDelayMs: 0, heapBytes: 0, rssBytes: 0 };
  #lastDelayMs = 0;
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#histogram.enable();
    this.#timer = setInterval(() => this.#measure(), SAMPLE_MS).unref();
  }

  get current(): Pressure {
    return this.#current;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }

  #measure(): void {
    // Nothing was counted when the loop stood still all the time.
    const meanMs = this.#histogram.count === 0 ? SAMPLE_MS : this.#histogram.mean / 1e6;
    const delayMs = Math.max(0, meanMs - RESOLUTION_MS);
    const { heapUsed, rss } = process.memoryUsage();
    this.#current = {
      eventLoopDelayMs: Math.min(delayMs, this.#lastDelayMs),
      heapBytes: heapUsed,
      rssBytes: rss,
    };
    this.#lastDelayMs = delayMs;
    this.#histogram.reset();
  }
}
