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
  maxWorkers: Math.min(6, availableParallelism() + 3),
};

/** Count the threads or the memory of a process. */
const ISOLATED = [
  'packages/met/test/cache/memory.integration.test.ts',
  'packages/met/test/sources/large.integration.test.ts',
  'packages/met/test/threads/threads.integration.test.ts',
  'packages/runtime/test/compute/shared-memory.test.ts',
];

/** Files that take more than ten seconds of processor time: `npm run test:long`. */
const LONG = ['packages/*/test/**/*.long.test.ts', 'scripts/test/**/*.long.test.ts'];

/** The files that take longest, longest first. Most of them wait more than they compute. */
const LONGEST = [
  'web/test/walks/walks.long.test.ts',
  'web/test/app.browser.test.ts',
  'cli/test/guides.long.test.ts',
  'scripts/test/pack.long.test.ts',
  'cli/test/live.long.test.ts',
  'web/test/live.long.test.ts',
  'web/test/compute-here.long.test.ts',
  'cli/test/mrv.long.test.ts',
  'met/test/sync/sources.long.test.ts',
  'platform/test/jobs/pgboss.integration.test.ts',
  'met/test/cocip-grid-gpu.long.test.ts',
  'service/test/families/inventory/run.long.test.ts',
  'service/test/families/inventory/rounds.long.test.ts',
  'cli/test/met-sync.long.test.ts',
  'service/test/openapi/schemathesis.long.test.ts',
  'engine/test/grid/gpu.long.test.ts',
  'cli/test/serve.long.test.ts',
  'engine/test/mrv/mrv.long.test.ts',
  'cli/test/grid.long.test.ts',
  'service/test/families/observations/demo-satellite.long.test.ts',
  'web/test/synced-weather.long.test.ts',
  'observations/test/readers/readers.integration.test.ts',
  'cli/test/met.integration.test.ts',
  'service/test/families/inventory/workers.long.test.ts',
  'service/test/chaos/forecast-kill.long.test.ts',
  'service/test/faults/database-restart.long.test.ts',
  'service/test/faults/stop.long.test.ts',
  'service/test/faults/shared-limits.long.test.ts',
  'met/test/sync/faults.integration.test.ts',
  'cli/test/operators.long.test.ts',
  'scripts/test/release.long.test.ts',
  'service/test/families/inventory/states.long.test.ts',
  'service/test/chaos/service-kill.long.test.ts',
  'met/test/sources/zarr/source.integration.test.ts',
  'cli/test/flights.integration.test.ts',
  'cli/test/archive.long.test.ts',
  'service/test/chaos/observations-kill.long.test.ts',
  'service/test/openapi/clients.long.test.ts',
  'service/test/families/telemetry/hours.integration.test.ts',
  'met/test/sync/kills.long.test.ts',
  'cli/test/trajectory.integration.test.ts',
  'manual/test/manual.browser.test.ts',
  'service/test/families/forecast/missing-radiation.integration.test.ts',
  'cli/test/adsb-flights.integration.test.ts',
  'platform/test/store/s3-faults.long.test.ts',
  'service/test/families/observations/attribution.long.test.ts',
  'engine/test/flights/parameters-peer.integration.test.ts',
  'scripts/test/contributing.long.test.ts',
  'service/test/weather/demo-climate.long.test.ts',
  'service/test/families/inventory/model.integration.test.ts',
  'service/test/openapi/lint.long.test.ts',
  'service/test/families/planning/route.integration.test.ts',
  'service/test/families/grid/service.integration.test.ts',
  'service/test/families/trajectory/documented-flights.integration.test.ts',
  'physics/test/routing/laws.long.test.ts',
  'service/test/families/observations/data-store.integration.test.ts',
  'service/test/families/telemetry/telemetry-scaled-out.integration.test.ts',
  'cli/test/inventory.integration.test.ts',
  'platform/test/jobs/embedded.integration.test.ts',
  'service/test/families/telemetry/feeds.integration.test.ts',
];
/** So many take about a minute or more each, and start first. */
const FIRST = 5;
/** The other long ones are spread over this share of the short files, so a run does not end with one of them alone. */
const SPREAD = 0.7;

/** Spreads the longest files over the run, so while one of them waits others compute. */
class SpreadLongest extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A process that others can use ends when a file comes that needs its own.
    const [others, isolated] = parted(sorted, ({ project }) => project.config.isolate);
    const [short, long] = parted(others, (file) => lengthRank(file) >= 0);
    long.sort((a, b) => lengthRank(a) - lengthRank(b));
    const first = long.splice(0, FIRST);
    const pause = Math.max(1, Math.floor((SPREAD * short.length) / Math.max(1, long.length)));
    const spread = short.flatMap((file, k) => (k % pause === 0 ? [...long.splice(0, 1), file] : [file]));
    return [...first, ...spread, ...long, ...isolated];
  }
}

/** The index of a file among the longest, or -1. */
function lengthRank({ moduleId }: TestSpecification): number {
  return LONGEST.findIndex((name) => moduleId.endsWith(name));
}

/** Those for which something does not hold, and those for which it does. */
function parted<T>(all: readonly T[], holds: (one: T) => boolean): [T[], T[]] {
  return [all.filter((one) => !holds(one)), all.filter(holds)];
}

export default defineConfig({
  test: {
    // Node runs the sources as they are, as it does for users: without a step that rewrites them and makes them slower.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: SpreadLongest },
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
          exclude: [...shared.exclude, ...ISOLATED, ...LONG],
          // Most of the time would go into loading and compiling the same modules again; no test changes what others see.
          isolate: false,
        },
      },
      { test: { ...shared, name: 'long', include: LONG, isolate: false } },
      { test: { ...shared, name: 'isolated', include: ISOLATED } },
    ],
  },
});
