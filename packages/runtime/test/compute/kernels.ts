import { kernelAt } from '../../src/compute/index.ts';
import type anyKernel from './kernels/echo.kernel.ts';

const at = (name: string) => new URL(`./kernels/${name}`, import.meta.url);

export const echo = kernelAt<typeof import('./kernels/echo.kernel.ts').default>(at('echo.kernel.ts'));
export const sum = kernelAt<typeof import('./kernels/sum.kernel.ts').default>(at('sum.kernel.ts'));
export const spin = kernelAt<typeof import('./kernels/spin.kernel.ts').default>(at('spin.kernel.ts'));
export const fault = kernelAt<typeof import('./kernels/fault.kernel.ts').default>(at('fault.kernel.ts'));
export const counter = kernelAt<typeof import('./kernels/counter.kernel.ts').default>(
  at('counter.kernel.ts'),
);
export const priority = kernelAt<typeof import('./kernels/priority.kernel.ts').default>(
  at('priority.kernel.ts'),
);
export const bytes = kernelAt<typeof import('./kernels/bytes.kernel.ts').default>(at('bytes.kernel.ts'));
export const kernelMemory = kernelAt<typeof import('./kernels/kernel-memory.kernel.ts').default>(
  at('kernel-memory.kernel.ts'),
);
export const allocation = kernelAt<typeof import('./kernels/allocation.kernel.ts').default>(
  at('allocation.kernel.ts'),
);
export const notAKernel = kernelAt<typeof anyKernel>(at('not-a.kernel.ts'));
export const brokenModule = kernelAt<typeof anyKernel>(at('broken.kernel.ts'));
export const missingModule = kernelAt<typeof anyKernel>(at('missing.kernel.ts'));
