import type { Log } from '../log.ts';

/** How long a warning is reported, and how often it is logged while it goes on. */
const RECENT_MS = 60_000;

interface Warning {
  readonly message: string;
  atMs: number;
  loggedMs: number;
  /** How often it came since it was logged. */
  repeated: number;
}

/** Limits of the process that were reached: in the log once a minute, and in `/readyz` until a minute after the last time. */
export class ResourceWarnings {
  readonly #warnings = new Map<string, Warning>();
  readonly #log: Log;
  readonly #now: () => number;

  constructor(log: Log, now = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** `kind` is what the log does not repeat within a minute. */
  report(kind: string, message: string): void {
    const nowMs = this.#now();
    const before = this.#warnings.get(kind);
    if (before !== undefined && nowMs - before.loggedMs < RECENT_MS) {
      this.#warnings.set(kind, { ...before, message, atMs: nowMs, repeated: before.repeated + 1 });
      return;
    }
    this.#warnings.set(kind, { message, atMs: nowMs, loggedMs: nowMs, repeated: 0 });
    const repeated = before?.repeated ?? 0;
    this.#log.warn(repeated === 0 ? {} : { repeated }, message);
  }

  /** What was reported within the last minute. */
  recent(): string | undefined {
    const sinceMs = this.#now() - RECENT_MS;
    const messages = [...this.#warnings.values()].filter(({ atMs }) => atMs >= sinceMs);
    return messages.length === 0 ? undefined : messages.map(({ message }) => message).join('; ');
  }
}
