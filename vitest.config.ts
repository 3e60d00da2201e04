import { defineConfig } from 'vitest/config';

const shared = { exclude: ['**/node_modules/**', '**/dist/**'], testTimeout: 30_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    reporters: ['default', './scripts/summary-reporter.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', 'scripts/test/**/*.test.ts'],
          exclude: [...shared.exclude, '**/*.integration.test.ts', '**/*.browser.test.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['packages/*/test/**/*.integration.test.ts', 'packages/*/test/**/*.browser.test.ts'],
          fileParallelism: false,
        },
      },
    ],
  },
});
