import { type Compute, kernelAt } from '../compute.ts';
import type { RollInput, RollOutput } from './roll-frames.ts';

const kernel = kernelAt<typeof import('./roll-frames.kernel.ts').default>(
  new URL('./roll-frames.kernel.ts', import.meta.url),
);

/** `rollFrames` outside the thread that serves requests. */
export function rollOnThreads(
  compute: Pick<Compute, 'run'>,
  input: RollInput,
  signal: AbortSignal,
): Promise<RollOutput> {
  return compute.run(kernel, input, { signal });
}
