import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import {
  type CarriedError,
  carryError,
  collectGarbage,
  lowerPriority,
  threadHeapBytes,
} from '@contrails/runtime/threads';

/** What a thread is started with. */
export interface ThreadSetup {
  readonly niceness: number;
}

/** What a thread posts: the file it reads, its memory, and the result of a request or the error. */
export type ThreadMessage<Result> =
  | { readonly reading: string | undefined }
  | { readonly memoryBytes: number }
  | { readonly result: Result }
  /** `isSpent`: the thread cannot serve another request. */
  | { readonly error: CarriedError; readonly isSpent: boolean };

/**
 * Called once by the module that `Threads` run: serves requests one at a time. `isSpentBy`: after this error, a library that
 * the thread has loaded cannot be trusted with other files.
 */
export function serveRequests<Request, Result>(
  perform: (request: Request) => Result | Promise<Result>,
  isSpentBy: (error: unknown) => boolean = () => false,
): void {
  lowerPriority((workerData as ThreadSetup).niceness);
  // Without it a message that cannot be read would be lost, and its sender would wait for ever.
  parentPort?.on('messageerror', (error) => {
    throw error;
  });
  // Threads that start later take what the first has compiled.
  parentPort?.once('message', () => setImmediate(flushCompileCache));
  parentPort?.on('message', async (request: Request) => {
    const outcome = await run(() => perform(request), isSpentBy);
    post<Result>({ memoryBytes: threadHeapBytes() });
    post(outcome);
    collectGarbage('minor');
  });
}

/**
 * Called before each step that should take seconds at most: names the file that is read. A thread that takes too long from
 * one call to the next is ended, and the file is reported as the cause. Without a file, the time until the next call does not
 * count: that of loading a library, say.
 */
export function reportReading(path: string | undefined): void {
  post({ reading: path });
}

function post<Result>(message: ThreadMessage<Result>): void {
  parentPort?.postMessage(message);
}

async function run<Result>(
  work: () => Result | Promise<Result>,
  isSpentBy: (error: unknown) => boolean,
): Promise<ThreadMessage<Result>> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error: carryError(error), isSpent: isSpentBy(error) };
  }
}
