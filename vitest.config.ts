import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const shared = {
  exclude: ['**/node_modules/**', '**/dist/**'],
  setupFiles: ['test/support/own-temporary-folder.ts', 'test/support/random-cases.ts'],
  // What hangs is to be found out; how long the rest takes depends on what else the machine does.
  testTimeout: 180_000,
  hookTimeout: 240_000,
  // Kills, restarts and deadlines of real processes: where a machine stalls, a second run tells a fault from bad luck.
  retry: process.env.CI ? 1 : 0,
  // Some wait more than they compute: for leases to end, servers to stop, processes to start.
  maxWorkers: Math.min(6, availableParallelism() + 1),
};

/** Count the threads or the memory of a process. */
const ISOLATED = [
  'packages/met/test/sources/large.integration.test.ts',
  'packages/met/test/threads/threads.integration.test.ts',
];

/** The files that take longest, longest first. */
const LONGEST = [
  'cli/test/guides.integration.test.ts',
  'web/test/app.browser.test.ts',
  'scripts/test/pack.integration.test.ts',
  'service/test/families/inventory/run.integration.test.ts',
  'service/test/families/inventory/workers.integration.test.ts',
  'service/test/openapi/schemathesis.integration.test.ts',
  'service/test/faults/shared-limits.integration.test.ts',
  'service/test/faults/stop.integration.test.ts',
  'service/test/faults/database-restart.integration.test.ts',
  'service/test/jobs/pgboss.integration.test.ts',
  'cli/test/serve.integration.test.ts',
  'cli/test/grid.integration.test.ts',
  'service/test/chaos/observations-kill.integration.test.ts',
  'service/test/chaos/forecast-kill.integration.test.ts',
  'cli/test/met.integration.test.ts',
  'service/test/store/s3-faults.integration.test.ts',
  'service/test/families/grid/service.integration.test.ts',
  'scripts/test/contributing.integration.test.ts',
  'met/test/sources/zarr/source.integration.test.ts',
  'observations/test/readers/readers.integration.test.ts',
  'service/test/trajectories/parameters-peer.integration.test.ts',
  'service/test/families/inventory/chain.integration.test.ts',
  'service/test/families/observations/attribution.integration.test.ts',
  'cli/test/archive.integration.test.ts',
  'cli/test/adsb-flights.integration.test.ts',
  'cli/test/trajectory.integration.test.ts',
  'cli/test/observe.integration.test.ts',
];

/** Starts the longest files first, so that a run does not end with one of them alone on the machine. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      // A process that others can use ends when a file comes that needs one of its own.
      if (project.config.isolate) return LONGEST.length + 1;
      const index = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return index < 0 ? LONGEST.length : index;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    // Node runs the sources as they are, as it does for users: without a step that rewrites them and makes them slower.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './scripts/summary-reporter.ts'],
    globalSetup: [
      'test/support/temporary-root.ts',
      'test/support/quick-start.ts',
      'test/support/warm-python.ts',
      'test/support/shared-servers.ts',
    ],
    projects: [
      {
        test: {
          ...shared,
          name: 'tests',
          include: ['packages/*/test/**/*.test.ts', 'scripts/test/**/*.test.ts'],
          exclude: [...shared.exclude, ...ISOLATED],
          // Most of the time would go into loading and compiling the same modules again; no test changes what others see.
          isolate: false,
        },
      },
      { test: { ...shared, name: 'isolated', include: ISOLATED } },
    ],
  },
});
