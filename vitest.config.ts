import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const shared = {
  exclude: ['**/node_modules/**', '**/dist/**'],
  setupFiles: ['test/support/own-temporary-folder.ts'],
  // What hangs is to be found out; how long the rest takes depends on what else the machine does.
  testTimeout: 180_000,
  hookTimeout: 240_000,
};

export default defineConfig({
  test: {
    reporters: ['default', './scripts/summary-reporter.ts'],
    globalSetup: ['test/support/temporary-root.ts', 'test/support/shared-servers.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', 'scripts/test/**/*.test.ts'],
          exclude: [...shared.exclude, '**/*.integration.test.ts', '**/*.browser.test.ts'],
          // Most of the time would go into loading the same modules again; no unit test changes what others see.
          isolate: false,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'integration',
          include: [
            'packages/*/test/**/*.integration.test.ts',
            'packages/*/test/**/*.browser.test.ts',
            'scripts/test/**/*.integration.test.ts',
          ],
          // These wait more than they compute: for leases to end, servers to stop, processes to start.
          maxWorkers: Math.min(4, availableParallelism() + 1),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
