/**
 * Cached results: kept in memory up to a size, and computed once for all requests at the same time. Their versions are kept
 * much longer, so a client that has a result never causes it to be computed again.
 */
import { LruMap } from '@contrails/runtime';
import { CancelledError, UnavailableError } from '@contrails/runtime/errors';
import type { File } from './files.ts';

/** Computes a result; `signal` aborts when no request waits for it any more. */
export type MakeFile = (signal: AbortSignal) => Promise<File>;

export interface Results {
  /** Runs work once for all who wait for the same key at the same time, and keeps nothing of it. */
  share(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** The answer of a key, which names everything that the answer depends on. Its bytes are made when they are opened. */
  obtain(key: string, signal: AbortSignal, make: MakeFile): Promise<File>;
  /** Bytes of the cached results. */
  readonly bytes: number;
}

type Version = Pick<File, 'size' | 'sha256' | 'modifiedMs' | 'warnings'>;

const VERSIONS_KEPT = 20_000;

export function createResults(limitBytes: number): Results {
  const kept = new LruMap<string, File>({ capacity: limitBytes, weigh: ({ size }) => size });
  const versions = new LruMap<string, Version>({ capacity: VERSIONS_KEPT });
  const files = createSharing<File>();
  const works = createSharing<void>();

  const makeDated = async (key: string, make: MakeFile, signal: AbortSignal): Promise<File> => {
    const made = await make(signal);
    const known = versions.get(key);
    // The same bytes made again are not newer.
    const modifiedMs = known?.sha256 === made.sha256 ? known.modifiedMs : made.modifiedMs;
    const dated = { ...made, modifiedMs };
    const { size, sha256, warnings } = made;
    versions.set(key, { size, sha256, modifiedMs, ...(warnings && { warnings }) });
    kept.set(key, dated);
    return dated;
  };

  const load = async (key: string, signal: AbortSignal, make: MakeFile): Promise<File> => {
    return kept.get(key) ?? files(key, signal, (shared) => makeDated(key, make, shared));
  };

  return {
    share: works,
    async obtain(key, signal, make) {
      const version = versions.get(key);
      if (version === undefined || kept.has(key)) return load(key, signal, make);
      return {
        ...version,
        async open(range) {
          const file = await load(key, signal, make);
          if (file.sha256 === version.sha256) return file.open(range);
          throw new UnavailableError('the answer changed while it was made', { retryAfterSeconds: 1 });
        },
      };
    },
    get bytes() {
      return kept.weight;
    },
  };
}

interface Work<T> {
  readonly outcome: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/** Work by key, done once for all who wait for it at the same time. */
function createSharing<T>() {
  const underWay = new Map<string, Work<T>>();

  const start = (key: string, run: (signal: AbortSignal) => Promise<T>): Work<T> => {
    const controller = new AbortController();
    const work: Work<T> = { outcome: run(controller.signal), controller, waiting: 0 };
    underWay.set(key, work);
    const done = () => {
      if (underWay.get(key) === work) underWay.delete(key);
    };
    work.outcome.then(done, done);
    return work;
  };

  return (key: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const work = underWay.get(key) ?? start(key, run);
    return waitFor(work, signal, () => underWay.delete(key));
  };
}

/** Waits for work that others may wait for too; the last one who leaves ends it. */
async function waitFor<T>(work: Work<T>, signal: AbortSignal, onAbandoned: () => void): Promise<T> {
  const leave = (): CancelledError => {
    work.waiting -= 1;
    if (work.waiting === 0) {
      onAbandoned();
      work.controller.abort(signal.reason);
    }
    return new CancelledError('the work was cancelled', { cause: signal.reason });
  };
  work.waiting += 1;
  if (signal.aborted) throw leave();
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(leave());
    signal.addEventListener('abort', onAbort, { once: true });
    work.outcome.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
