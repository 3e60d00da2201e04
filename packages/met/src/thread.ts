import { parentPort } from 'node:worker_threads';
import { MetError, type MetErrorKind } from './errors.ts';

/** What a thread says when it has done, or could not do, what was asked. */
export type ThreadAnswer<Result> =
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
  parentPort?.on('message', async (request: Request) => {
    parentPort?.postMessage(await answer(() => perform(request)));
  });
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
