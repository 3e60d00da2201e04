import type { Provider, RunsOnRoot, Wants } from './provider.ts';
import { Remote } from './remote.ts';
import { Throttle } from './throttle.ts';

export interface RootsOptions {
  readonly connections?: number;
  readonly maxBytesPerSecond?: number;
  readonly signal?: AbortSignal;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** See `RemoteOptions`. */
  readonly pauseMs?: number;
  readonly stallMs?: number;
}

const DEFAULT_CONNECTIONS = 4;

/** The servers of a sync, each opened when it is first asked. */
export class Roots {
  readonly #provider: Provider;
  readonly #wants: Wants;
  readonly #options: RootsOptions;
  readonly #throttle: Throttle | undefined;
  readonly #opened = new Map<string, { readonly remote: Remote; readonly runs: RunsOnRoot }>();
  #fetched = 0;

  constructor(provider: Provider, wants: Wants, options: RootsOptions) {
    this.#provider = provider;
    this.#wants = wants;
    this.#options = options;
    const { maxBytesPerSecond } = options;
    this.#throttle = maxBytesPerSecond === undefined ? undefined : new Throttle(maxBytesPerSecond);
  }

  /** Received from all of them [bytes]. */
  get bytesFetched(): number {
    return this.#fetched;
  }

  at(root: string): { readonly remote: Remote; readonly runs: RunsOnRoot } {
    const known = this.#opened.get(root);
    if (known !== undefined) return known;
    const { connections = DEFAULT_CONNECTIONS, signal, environment, pauseMs, stallMs } = this.#options;
    const polite = this.#provider.politeness(root);
    const remote = new Remote(root, {
      ...polite,
      connections: Math.min(connections, polite.connections),
      onBytes: (bytes) => {
        this.#fetched += bytes;
      },
      ...(this.#throttle === undefined ? {} : { throttle: this.#throttle }),
      ...(signal === undefined ? {} : { signal }),
      ...(environment === undefined ? {} : { environment }),
      ...(pauseMs === undefined ? {} : { pauseMs }),
      ...(stallMs === undefined ? {} : { stallMs }),
    });
    const opened = { remote, runs: this.#provider.open(remote, this.#wants) };
    this.#opened.set(root, opened);
    return opened;
  }

  close(): void {
    for (const { remote } of this.#opened.values()) remote.close();
  }
}
