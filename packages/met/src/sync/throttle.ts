import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '@contrails/runtime';

/** Keeps the sum of what all connections receive below a rate. */
export class Throttle {
  readonly #bytesPerMs: number;
  #freeMs = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / SECOND_MS;
  }

  /** Waits until the bytes that have just arrived fit into the rate. */
  async passed(bytes: number, signal?: AbortSignal): Promise<void> {
    const nowMs = performance.now();
    this.#freeMs = Math.max(this.#freeMs, nowMs) + bytes / this.#bytesPerMs;
    const waitMs = this.#freeMs - nowMs;
    if (waitMs > 10) await sleep(waitMs, undefined, signal === undefined ? {} : { signal });
  }
}
