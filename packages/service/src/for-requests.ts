import { AsyncLocalStorage } from 'node:async_hooks';
import type { Compute } from '@contrails/engine/compute';
import type { Routes } from '@contrails/platform/http/app';
import { Patience } from '@contrails/runtime';
import { reserveOf, type Services } from './services.ts';
import { impatient } from './weather/lazy-met.ts';

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
  const ofRequest = new AsyncLocalStorage<Patience>();
  const patience = () => ofRequest.getStore() ?? new Patience(waitMs);
  return {
    services: {
      ...services,
      met: impatient(met, patience),
      reserve: reserveOf(memory, patience),
      compute: impatientCompute(requestCompute, patience),
    },
    limitWaits: (routes) => async (app) => {
      // Not earlier: what is called while a body is read does not belong to the request.
      app.addHook('preHandler', (_request, _reply, next) => ofRequest.run(new Patience(waitMs), next));
      await routes(app);
    },
  };
}

function impatientCompute(compute: Compute, patience: () => Patience): Compute {
  return {
    threads: compute.threads,
    run: (kernel, input, options) => compute.run(kernel, input, { patience: patience(), ...options }),
    parallel: (kernel, input, blocks, options) =>
      compute.parallel(kernel, input, blocks, { patience: patience(), ...options }),
    state: () => compute.state(),
    collect: () => compute.collect(),
    close: (drainMs) => compute.close(drainMs),
  };
}
