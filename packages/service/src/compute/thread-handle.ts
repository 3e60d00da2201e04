import { Worker } from 'node:worker_threads';
import type { FromThread, ThreadSetup, ToThread } from './protocol.ts';

/** The pool's end of one compute thread. */
export interface ThreadHandle {
  post(message: ToThread): void;
  /** A busy thread keeps the process alive, an idle one does not. */
  setBusy(busy: boolean): void;
  /** Ends the thread wherever it is; `onExit` follows. */
  terminate(): Promise<void>;
}

export interface ThreadEvents {
  onMessage(message: FromThread): void;
  /** Called once. `fault` is what the thread threw uncaught. */
  onExit(exitCode: number, fault: Error | undefined): void;
}

/** The thread takes messages at once; they wait until it is up. */
export function startThread(setup: ThreadSetup, heapMb: number, events: ThreadEvents): ThreadHandle {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    name: 'compute',
    workerData: setup,
    // Kernels are given what they need; secrets in the environment are none of their business.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  let fault: Error | undefined;
  worker.on('message', events.onMessage);
  worker.on('error', (thrown: unknown) => {
    fault = thrown instanceof Error ? thrown : new Error(String(thrown));
  });
  worker.on('messageerror', (thrown: Error) => {
    fault = thrown;
    void worker.terminate();
  });
  worker.on('exit', (exitCode) => events.onExit(exitCode, fault));
  return {
    post: (message) => worker.postMessage(message),
    setBusy: (busy) => (busy ? worker.ref() : worker.unref()),
    terminate: async () => {
      await worker.terminate();
    },
  };
}
