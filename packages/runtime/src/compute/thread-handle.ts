import { sharedInt32 } from '../shared-arrays.ts';
import { startWorker, type WorkerEvents, type WorkerHandle } from '../threads/worker.ts';
import type { FromThread, ThreadSetup, ToThread } from './protocol.ts';

/** The pool's end of one compute thread. */
export interface ThreadHandle extends WorkerHandle<ToThread> {
  /** Asks it to leave the task it works on. */
  askToStop(): void;
}

export function startThread(
  setup: Omit<ThreadSetup, 'stop'>,
  heapMb: number,
  events: WorkerEvents<FromThread>,
): ThreadHandle {
  const stop = sharedInt32(1);
  const worker = startWorker<ToThread, FromThread>(
    new URL('./thread.ts', import.meta.url),
    {
      name: 'compute',
      workerData: { ...setup, stop } satisfies ThreadSetup,
      // A kernel gets everything it needs as input; secrets of the environment stay outside.
      env: {},
      heapMb,
    },
    events,
  );
  return {
    ...worker,
    post: (message) => {
      if (message.type === 'slice') Atomics.store(stop, 0, 0);
      worker.post(message);
    },
    askToStop: () => void Atomics.store(stop, 0, 1),
  };
}
