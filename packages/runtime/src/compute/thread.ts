/** What runs inside a compute thread: takes blocks of the task it is given until none is left or others wait. */
import { flushCompileCache } from 'node:module';
import { parentPort, type Transferable, workerData } from 'node:worker_threads';
import { kernelBytes } from '@contrails/physics/kernel-memory';
import { CancelledError, ContrailsError } from '../errors.ts';
import { allocatedSharedBytes } from '../shared-arrays.ts';
import { carryError } from '../threads/carried-error.ts';
import { collectGarbage, collectLessOften, threadHeapBytes } from '../threads/memory.ts';
import { lowerPriority } from '../threads/priority.ts';
import { type Block, type BlockContext, isKernel, type Kernel } from './kernel.ts';
import type {
  FromThread,
  SliceEnd,
  TaskDefinition,
  ThreadMemory,
  ThreadSetup,
  ToThread,
} from './protocol.ts';

const PROGRESS_EVERY_MS = 50;
/** Reading the heap statistics takes 20 µs. */
const MEMORY_EVERY_MS = 1000;

interface LoadedTask {
  readonly block: Block<unknown>;
  readonly blockCount: number;
  readonly nextBlock: Int32Array | undefined;
}

if (parentPort === null) throw new ContrailsError('thread.ts is started by the compute pool, not by hand');
const port = parentPort;
const { waiting, stop, sliceMs, niceness, memoryBytes } = workerData as ThreadSetup;
lowerPriority(niceness);
collectLessOften(memoryBytes);
const kernels = new Map<string, Kernel<unknown, unknown>>();
const tasks = new Map<number, LoadedTask>();

// Without it a message that cannot be read would be lost, and its task would never end.
port.on('messageerror', (error) => {
  throw error;
});
port.on('message', (message: ToThread) => {
  if (message.type === 'forget') tasks.delete(message.taskId);
  else if (message.type === 'collect') collect();
  else void runSlice(message);
});

function collect(): void {
  collectGarbage('full');
  port.postMessage({ type: 'collected', memory: readMemory() } satisfies FromThread);
}

let memoryReadMs = Number.NEGATIVE_INFINITY;

function readMemory(): ThreadMemory {
  memoryReadMs = performance.now();
  return { heapBytes: threadHeapBytes(), kernelBytes: kernelBytes() };
}

async function runSlice(message: Extract<ToThread, { type: 'slice' }>): Promise<void> {
  const startedMs = performance.now();
  const sharedBefore = allocatedSharedBytes();
  const results: [number, unknown][] = [];
  const transfers: Transferable[] = [];
  let blocks = 0;
  let error: SliceEnd['error'];
  try {
    const task = tasks.get(message.taskId) ?? (await load(message.definition));
    if (message.keep) tasks.set(message.taskId, task);
    const { block, blockCount, nextBlock } = task;
    const report = progressReporter(startedMs);
    const context: BlockContext = {
      cancelled: () => Atomics.load(stop, 0) !== 0,
      throwIfCancelled: () => {
        if (Atomics.load(stop, 0) !== 0) throw new CancelledError('the work was cancelled');
      },
      progress: (fraction) => report(blocks + Math.min(1, Math.max(0, fraction))),
      transfer: (buffer) => transfers.push(buffer),
    };
    while (Atomics.load(stop, 0) === 0) {
      const index = nextBlock === undefined ? blocks : Atomics.add(nextBlock, 0, 1);
      if (index >= blockCount) break;
      const returned = block(index, context);
      const result = returned instanceof Promise ? await returned : returned;
      if (result !== undefined) results.push([index, result]);
      blocks += 1;
      report(blocks);
      if (Atomics.load(waiting, 0) !== 0 && performance.now() - startedMs >= sliceMs) break;
    }
  } catch (thrown) {
    error = carryError(thrown);
  }
  const nowMs = performance.now();
  const memory = nowMs - memoryReadMs < MEMORY_EVERY_MS ? undefined : readMemory();
  const sharedBytes = allocatedSharedBytes() - sharedBefore;
  const busyMs = nowMs - startedMs;
  const end: SliceEnd = { type: 'slice-end', blocks, busyMs, results, error, sharedBytes, memory };
  try {
    port.postMessage(end, transfers);
  } catch (thrown) {
    port.postMessage({ ...end, results: [], error: carryError(thrown) } satisfies SliceEnd);
  }
}

async function load(definition: TaskDefinition | undefined): Promise<LoadedTask> {
  if (definition === undefined) throw new ContrailsError('the thread was given a task that it does not know');
  const { kernelUrl, input, blockCount, nextBlock } = definition;
  const kernel = kernels.get(kernelUrl) ?? (await importKernel(kernelUrl));
  return { block: await kernel.start(input), blockCount, nextBlock };
}

async function importKernel(kernelUrl: string): Promise<Kernel<unknown, unknown>> {
  const { default: kernel } = (await import(kernelUrl)) as { default?: unknown };
  if (!isKernel(kernel)) {
    throw new ContrailsError(`${kernelUrl} is not a kernel; its default export must be made by defineKernel`);
  }
  kernels.set(kernelUrl, kernel);
  // Threads that start later take what this one has compiled.
  flushCompileCache();
  return kernel;
}

function progressReporter(startedMs: number): (blocks: number) => void {
  let lastMs = startedMs;
  return (blocks) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < PROGRESS_EVERY_MS) return;
    lastMs = nowMs;
    port.postMessage({ type: 'progress', blocks } satisfies FromThread);
  };
}
