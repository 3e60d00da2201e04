import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { computeLevels } from '@contrails/engine/grid/compute-levels';
import { gridCells } from '@contrails/engine/grid/layout';
import { createCatalogue } from '@contrails/platform/database/catalogue';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { readTools, repositoryRoot } from '../../../../../test/support/tools.ts';
import { until } from '../../../../../test/support/until.ts';
import { adoptPlan } from '../../../src/families/forecast/plan/plan.ts';
import { taskKind } from '../../../src/forecast-products/jobs.ts';
import { PRODUCT_GROUP, storedProduct } from '../../../src/forecast-products/manifest.ts';
import { flightBody } from '../trajectory/support.ts';
import { startForecastServer, tasksOf } from './support/forecast-server.ts';

const { python, missing } = readTools();
const needsPython = `needs Python with eccodes${python === null ? ` (${missing.python})` : ''}`;
const TIME = '2024-06-01T01:00:00Z';
/** Every cell has a contrail, so each level takes seconds. */
const FLIGHT_LEVEL = 350;
const LEVELS_PER_JOB = 2;

describe.skipIf(python === null)(
  `a forecast whose radiation is not there at all times: ${needsPython}`,
  () => {
    let directory = '';
    beforeAll(async () => {
      directory = await temporaryDirectory();
      const script = join(repositoryRoot, 'packages/met/test/support/write_as_it_comes.py');
      execFileSync(python ?? '', [script, directory], { stdio: ['ignore', 'ignore', 'pipe'] });
    }, 120_000);

    const servers = new Map<string, ReturnType<typeof startForecastServer>>();

    /** Air from hour 0 to 14 that is full of contrails, and some of its radiation, none of it at the start. */
    function serverWith(radiation: string) {
      const known = servers.get(radiation);
      if (known !== undefined) return known;
      const paths = ['run-levels-*.grib2', radiation].map((path) => join(directory, path));
      const origin = { provider: 'ECMWF', dataset: 'IFS', product: 'forecast' };
      const server = startForecastServer({
        CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'trial', kind: 'grib', paths, ...origin }]),
        CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738',
        CONTRAILS_FORECAST__LEVELS_PER_JOB: String(LEVELS_PER_JOB),
      });
      servers.set(radiation, server);
      return server;
    }

    const url = `/v1/grids?time=${TIME}&flight_level=${FLIGHT_LEVEL}`;

    test('is published whole where only the field at the start is missing', async () => {
      const { services, publish, get } = await serverWith('run-radiation-*.grib2');
      const plan = await publish({}, FLIGHT_LEVEL);
      expect(plan.tasks.map(({ task }) => task.validTimeMs)).toEqual([Date.parse(TIME)]);
      const { efPerM, report } = await computeLevels(
        { compute: services.compute, met: await services.met.open() },
        {
          timeMs: Date.parse(TIME),
          aircraft: { type: 'B738' },
          cells: gridCells(undefined, [FLIGHT_LEVEL], 0.25),
          humidityScaling: 'none',
        },
      );
      const values = [...(efPerM[0] ?? [])];
      expect(values.filter(Number.isNaN)).toEqual([]);
      expect(values.filter((ef) => ef !== 0).length).toBeGreaterThan(1000);
      expect(report.mostlyWithoutForcing).toBe(0);
      const answer = await get(url);
      expect(answer.status).toBe(200);
      expect(answer.headers['contrails-warnings']).toBeUndefined();
    });

    test('carries a warning with the count of cells where radiation ends before the contrails', async () => {
      const { services, publish, get } = await serverWith('run-radiation-0{0[1-9],10}.grib2');
      const plan = await publish({}, FLIGHT_LEVEL);
      const [cocip] = await createCatalogue(services.database).find({
        family: PRODUCT_GROUP,
        kind: 'cocip.B738',
      });
      const counts = (cocip && storedProduct(cocip).manifest.cells_without_forcing) ?? [];
      expect(counts.length).toBe(LEVELS_PER_JOB);
      const levelCount = counts[plan.tasks[0]?.task.flightLevels.indexOf(FLIGHT_LEVEL) ?? -1];
      expect(levelCount).toBeGreaterThan(1000);
      for (const path of [url, `/v1/regions?time=${TIME}&flight_level=${FLIGHT_LEVEL}`]) {
        const answer = await get(path);
        expect(answer.status).toBe(200);
        expect(JSON.parse(String(answer.headers['contrails-warnings']))).toEqual([
          expect.stringContaining(
            `the contrails of ${levelCount} cells live through steps without data of radiation`,
          ),
        ]);
      }
    });

    test('is not published where most of the contrails would have no forcing, and clients are told so', async () => {
      const { services, plan, get } = await serverWith('run-radiation-00[1-3].grib2');
      const made = tasksOf(await plan(), FLIGHT_LEVEL);
      await adoptPlan(services.database, made, Date.now());
      const [planned] = made.tasks;
      if (planned === undefined) throw new Error('nothing was planned');
      const { id } = await services.jobs.enqueue({ ...taskKind, attempts: 1 }, planned.task);
      const hasEnded = async () => {
        const found = await services.jobs.get(id);
        return (found?.state === 'failed' || found?.state === 'done') && found;
      };
      const job = await until(`job ${id} has ended`, hasEnded, { seconds: 170 });
      expect(job.state).toBe('failed');
      expect(job.error).toMatch(
        /no radiation for most of the life of \d+ of \d+ contrails.*nothing is published/,
      );
      expect(await createCatalogue(services.database).find({ family: PRODUCT_GROUP })).toEqual([]);
      for (const path of [url, `/v1/regions?time=${TIME}`]) {
        const answer = await get(path);
        expect(answer.status).toBe(404);
        expect(answer.problem().detail).toContain(`will not come: job ${id}`);
      }
    });

    test.each([
      ['run-radiation-00[1-3].grib2', 1],
      ['run-radiation-*.grib2', 0],
    ])('flights with %s have %i warnings of it', async (radiation, expected) => {
      const { server } = await serverWith(radiation);
      const flight = flightBody({ waypoints: 20, start: TIME, latitude: 40, cruiseFt: 34_000 });
      const answer = await server.send({
        method: 'POST',
        url: '/v0/trajectory/cocip?max_age_hours=6',
        headers: { 'x-api-key': server.key, 'content-type': 'application/json' },
        payload: JSON.stringify({ ...flight, aircraft_type: 'B738' }),
      });
      expect(answer.status).toBe(200);
      const warnings = JSON.parse(String(answer.headers['contrails-warnings'] ?? '[]')) as string[];
      expect(warnings.filter((warning) => warning.includes('the weather has no radiation')).length).toBe(
        expected,
      );
    });
  },
);
