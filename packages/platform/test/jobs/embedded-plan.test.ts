import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { NEXT_QUEUED } from '../../src/jobs/embedded/claims.ts';
import { openDatabase } from '../support/database.ts';

test('the next job is the first entry of an index, not the outcome of a sort', async () => {
  const database = await openDatabase({ database: 'embedded', directory: await temporaryDirectory() });
  const plan = await database.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${NEXT_QUEUED} LIMIT 1`, [
    0,
    '["a"]',
  ]);
  const steps = plan.map((step) => step.detail).join('\n');
  expect(steps).toMatch(/USING (COVERING )?INDEX jobs_queued/);
  expect(steps).not.toMatch(/TEMP B-TREE/);
  await database.close();
});
