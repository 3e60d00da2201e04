import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { MetError, type MetErrorKind } from '../errors.ts';

/** What a thread posts: that it got on, that it has done what was asked, or that it could not. */
export type ThreadAnswer<Result> =
  | { readonly reading: string }
  | { readonly memoryBytes: number }
  | { readonly result: Result }
  | {
      readonly error: {
        readonly kind?: MetErrorKind;
        readonly message: string;
        readonly facts?: Readonly<Record<string, unknown>>;
      };
    };

/** Called by the module that `Threads` run, once: does what it is asked, one request at a time. */
export function answerRequests<Request, Result>(
  perform: (request: Request) => Result | Promise<Result>,
): void {
  const letGo = makeCollector();
  parentPort?.on('message', async (request: Request) => {
    const answered = await answer(() => perform(request));
    const { total_heap_size, external_memory } = getHeapStatistics();
    const memoryBytes = total_heap_size + external_memory;
    parentPort?.postMessage({ memoryBytes } satisfies ThreadAnswer<Result>);
    parentPort?.postMessage(answered);
    letGo();
  });
}

/**
 * Called before each step that should take seconds at most: names the file that is read. A thread that does not get from
 * one call to the next in time is ended, and the file is blamed for it.
 */
export function reportReading(path: string): void {
  parentPort?.postMessage({ reading: path } satisfies ThreadAnswer<never>);
}

/**
 * Shared memory does not count as memory of a thread, so that one with little else to clear away would hold on to
 * fields long after everybody else let them go. Young objects are cleared away in a tenth of a millisecond.
 */
function makeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  return () => collect({ type: 'minor' });
}

async function answer<Result>(work: () => Result | Promise<Result>): Promise<ThreadAnswer<Result>> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error: describe(error) };
  }
}

/** An error in a form that survives the way between threads. */
function describe(error: unknown) {
  if (error instanceof MetError) return { kind: error.kind, message: error.message, facts: error.facts };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
