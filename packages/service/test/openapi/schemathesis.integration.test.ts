import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LiveService, startLiveService } from '../../../../test/support/live-service.ts';
import { runSchemathesis } from '../../../../test/support/schemathesis.ts';
import { readTools } from '../../../../test/support/tools.ts';

const { python } = readTools();

/** `npm run test:fuzz` sends eighty times as many. */
describe.skipIf(python === null)('requests generated from the API description', () => {
  let service: LiveService;

  beforeAll(async () => {
    service = await startLiveService();
  });
  afterAll(() => service?.stop());

  test('get described responses: valid ones are accepted, invalid ones refused', {
    timeout: 600_000,
  }, async () => {
    const { succeeded, cases, text } = await runSchemathesis(service, {
      python: String(python),
      examples: 5,
      phases: 'examples,fuzzing,stateful',
      seed: 1,
    });
    expect(succeeded, text).toBe(true);
    expect(cases).toBeGreaterThan(150);
  });
});
