import { expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { s3Missing } from '../../../../test/support/s3.ts';
import { usePostgres } from '../../../../test/support/shared-server.ts';
import { killForecastWorkers } from './forecast-kill.ts';

const reason = s3Missing === undefined ? '' : ` (skipped: ${s3Missing})`;

test.skipIf(s3Missing !== undefined)(
  `workers on PostgreSQL and a bucket are killed, the bucket goes away: every product is there once, whole, and two servers never promise what they have not${reason}`,
  { timeout: 300_000 },
  async () => {
    const figures = await killForecastWorkers({
      rounds: times(1),
      workers: 2,
      hours: 1,
      outageMs: 3_000,
      database: await usePostgres(),
    });
    expect(figures.losses).toEqual([]);
    expect(figures.products).toBe(figures.tasks * 2);
    expect(figures.looks).toBeGreaterThan(0);
  },
);
