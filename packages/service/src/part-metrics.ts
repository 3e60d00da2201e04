import { Gauge, Registry } from 'prom-client';
import type { Parts } from './parts.ts';

/** A registry with the state of the parts; the HTTP server adds its own. */
export function createRegistry({ compute, jobs }: Pick<Parts, 'compute' | 'jobs'>): Registry {
  const registry = new Registry();
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('contrails_compute_threads', 'Compute threads that may run.', () => compute.threads);
  gauge('contrails_compute_threads_busy', 'Compute threads that work.', () => compute.state().busy);
  gauge('contrails_compute_tasks', 'Computations accepted and not finished.', () => compute.state().tasks);
  gauge(
    'contrails_compute_crashes',
    'Compute threads that crashed since the start.',
    () => compute.state().crashes,
  );
  new Gauge({
    name: 'contrails_jobs',
    help: 'Background jobs by state, of all processes together.',
    labelNames: ['state'] as const,
    registers: [registry],
    async collect() {
      for (const [state, count] of Object.entries(await jobs.counts())) this.set({ state }, count);
    },
  });
  return registry;
}
