/**
 * How long a request waits in all. Waits that follow each other share it, those at the same time count once, and time in
 * which the request is worked on does not count.
 */
export class WaitLimit {
  #leftMs: number;
  #waits = 0;
  /** Up to when `#leftMs` counts. */
  #countedMs = 0;

  constructor(ms: number) {
    this.#leftMs = ms;
  }

  get leftMs(): number {
    const passedMs = this.#waits === 0 ? 0 : performance.now() - this.#countedMs;
    return Math.max(0, this.#leftMs - passedMs);
  }

  /** Begins a wait, and returns what ends it; `onOver` is called when the time is over first. */
  wait(onOver: () => void): () => void {
    this.#count(1);
    const timer = setTimeout(onOver, this.#leftMs);
    let isWaiting = true;
    return () => {
      if (!isWaiting) return;
      isWaiting = false;
      clearTimeout(timer);
      this.#count(-1);
    };
  }

  #count(waits: 1 | -1): void {
    this.#leftMs = this.leftMs;
    this.#countedMs = performance.now();
    this.#waits += waits;
  }
}
