import { AsyncLocalStorage } from 'node:async_hooks';
import type { Compute } from '@contrails/engine/compute';
import type { Routes } from '@contrails/platform/http/app';
import { WaitLimit } from '@contrails/runtime';
import { reserveOf, type Services } from './services.ts';
import { withWaitLimit } from './weather/lazy-met.ts';

type Awaitable = Pick<Services, 'met' | 'memory' | 'requestCompute'>;

export interface ForRequests<S extends Awaitable> {
  /** The services for clients that wait: what they cannot begin in time is refused. */
  readonly services: S & Pick<Services, 'reserve' | 'compute'>;
  /** Routes whose requests wait so long in all; elsewhere each wait counts for itself. */
  limitWaits(routes: Routes): Routes;
}

/** `waitMs`: how long a request waits for memory, weather and threads together [ms]. */
export function forRequests<S extends Awaitable>(services: S, waitMs: number): ForRequests<S> {
  const { met, memory, requestCompute } = services;
  const ofRequest = new AsyncLocalStorage<WaitLimit>();
  const waitLimit = () => ofRequest.getStore() ?? new WaitLimit(waitMs);
  return {
    services: {
      ...services,
      met: withWaitLimit(met, waitLimit),
      reserve: reserveOf(memory, waitLimit),
      compute: withComputeLimit(requestCompute, waitLimit),
    },
    limitWaits: (routes) => async (app) => {
      // Not earlier: what is called while a body is read does not belong to the request.
      app.addHook('preHandler', (_request, _reply, next) => ofRequest.run(new WaitLimit(waitMs), next));
      await routes(app);
    },
  };
}

function withComputeLimit(compute: Compute, waitLimit: () => WaitLimit): Compute {
  return {
    threads: compute.threads,
    run: (kernel, input, options) => compute.run(kernel, input, { waitLimit: waitLimit(), ...options }),
    parallel: (kernel, input, blocks, options) =>
      compute.parallel(kernel, input, blocks, { waitLimit: waitLimit(), ...options }),
    state: () => compute.state(),
    shrink: () => compute.shrink(),
    close: (drainMs) => compute.close(drainMs),
  };
}
