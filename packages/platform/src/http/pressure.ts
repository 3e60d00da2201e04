import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { ResourceWarnings } from './resource-warnings.ts';

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
  readonly #warnings: Pick<ResourceWarnings, 'report'>;

  constructor(warnings: Pick<ResourceWarnings, 'report'>) {
    this.#warnings = warnings;
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
    this.#current = {
      eventLoopDelayMs: Math.min(delayMs, this.#lastDelayMs),
      heapBytes: getHeapStatistics().used_heap_size,
      rssBytes: this.#measureRss(),
    };
    this.#lastDelayMs = delayMs;
    this.#histogram.reset();
  }

  /** The system reads it from a file, for which a process may have no descriptor left. */
  #measureRss(): number {
    try {
      return process.memoryUsage.rss();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#warnings.report('memory', `cannot measure the memory of the process: ${reason}`);
      return this.#current.rssBytes;
    }
  }
}
