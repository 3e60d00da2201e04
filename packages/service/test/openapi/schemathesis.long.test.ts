import { describe, expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { runSchemathesis } from '../../../../test/support/schemathesis.ts';
import { useLiveService } from '../../../../test/support/shared-server.ts';
import { readTools } from '../../../../test/support/tools.ts';

const { pythonPrograms } = readTools();

/** `npm run test:fuzz` sends eighty times as many. */
describe.skipIf(pythonPrograms === null)('requests generated from the API description', () => {
  test('get described responses: valid ones are accepted, invalid ones refused', {
    timeout: 600_000,
  }, async () => {
    const { succeeded, cases, text } = await runSchemathesis(await useLiveService(), {
      pythonPrograms: String(pythonPrograms),
      examples: times(3),
      phases: 'examples,fuzzing,stateful',
      seed: 1,
    });
    expect(succeeded, text).toBe(true);
    expect(cases).toBeGreaterThan(150);
  });
});
