import { afterAll, expect, test } from 'vitest';
import { usePostgres } from '../../../../../test/support/shared-server.ts';
import { fillDisk, mountSmallDisk, NO_SMALL_DISK, unmount } from '../../../../../test/support/small-disk.ts';
import { until } from '../../../../../test/support/until.ts';
import { adoptPlan } from '../../../src/families/forecast/plan/plan.ts';
import { COARSE, startForecastServer } from './support/forecast-server.ts';

const disk = await mountSmallDisk(24 * 2 ** 20);
const missing = disk === undefined ? ` ${NO_SMALL_DISK}` : '';

afterAll(() => disk && unmount(disk));

test.skipIf(disk === undefined)(
  `a full disk lets the forecast wait, and it goes on when there is room${missing}`,
  { timeout: 120_000 },
  async () => {
    const postgres = await usePostgres();
    try {
      const forecast = await startForecastServer({
        ...COARSE,
        CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738',
        CONTRAILS_FORECAST__HOURS: '1',
        CONTRAILS_DATA: disk ?? '',
        CONTRAILS_DATABASE: await postgres.createDatabase(),
      });
      const { services } = forecast;
      const free = await fillDisk(disk ?? '');
      const plan = await forecast.plan();
      const jobs = await services.jobs.enqueueAll(await adoptPlan(services.database, plan, Date.now()));
      const states = async () => Promise.all(jobs.map(async ({ id }) => services.jobs.get(id)));
      await until('a job waits', async () =>
        (await states()).some((job) => job?.note?.startsWith('waits: ')),
      );
      await free();
      await until('every job is done', async () => (await states()).every((job) => job?.state === 'done'));
      expect((await states()).map((job) => job?.attempt)).toEqual(jobs.map(() => 1));
      const time = new Date(plan.tasks[0]?.task.validTimeMs ?? 0).toISOString();
      expect((await forecast.get(`/v1/grids?time=${time}`)).status).toBe(200);
      await forecast.close();
    } finally {
      await postgres.close();
    }
  },
);
