import { defineConfig } from 'vitest/config';

/** A run like that of the checkout, in which something ends the process as successful. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.fixture.ts'],
    reporters: ['../../summary-reporter.ts'],
    globalSetup: ['exits-with-zero.ts'],
  },
});
