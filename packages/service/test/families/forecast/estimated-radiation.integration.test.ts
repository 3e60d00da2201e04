/** A forecast on ECMWF open data alone, which has no shortwave radiation at the top of the atmosphere. */
import { fileURLToPath } from 'node:url';
import { createCatalogue } from '@contrails/platform/database/catalogue';
import { expect, test } from 'vitest';
import { PRODUCT_GROUP } from '../../../src/forecast-products/manifest.ts';
import { startForecastServer } from './support/forecast-server.ts';

const TREE = fileURLToPath(
  new URL('../../../../met/test/reference/weather-sync/tree/ecmwf/20260914/00z/', import.meta.url),
);
const ATTRIBUTION = 'Contains modified data of ECMWF open data (CC-BY-4.0).';
const ECMWF = {
  ...{ name: 'ecmwf', kind: 'grib', provider: 'ECMWF', dataset: 'IFS', product: 'forecast' },
  ...{ radiation_intervals: true, estimate_radiation: true, attribution: ATTRIBUTION },
  paths: [`${TREE}ifs/0p25/oper/*.grib2`],
};
const FLIGHT_LEVEL = 340;

test('is computed, and says that radiation is estimated', async () => {
  const { publish, services, get } = await startForecastServer({
    CONTRAILS_MET__SOURCES: JSON.stringify([ECMWF]),
    CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738',
    CONTRAILS_FORECAST__LEVELS_PER_JOB: '2',
    CONTRAILS_FORECAST__HOURS: '1',
  });
  const plan = await publish({}, FLIGHT_LEVEL);
  const [validTimeMs = 0] = plan.tasks.map(({ task }) => task.validTimeMs);
  const time = new Date(validTimeMs).toISOString();
  const [cocip] = await createCatalogue(services.database).find({
    family: PRODUCT_GROUP,
    kind: 'cocip.B738',
  });
  expect(cocip?.manifest).toMatchObject({
    weather: { radiation: 'estimated', attribution: ATTRIBUTION },
    attributes: { met_source_radiation: 'estimated', met_source_attribution: ATTRIBUTION },
  });
  const answer = await get(`/v1/grids?time=${time}&flight_level=${FLIGHT_LEVEL}`);
  expect(answer.status).toBe(200);
  expect(JSON.parse(String(answer.headers['contrails-warnings']))).toContain(
    'reflected shortwave radiation is estimated from the surface (about 10 W m⁻²)',
  );
  const { runs } = (await get('/v1/forecast/runs')).json<{ runs: unknown[] }>();
  expect(runs).toEqual([
    expect.objectContaining({
      met_source: 'ecmwf',
      forecast_reference_time: '2026-09-14T00:00:00Z',
      met_source_radiation: 'estimated',
    }),
  ]);
}, 170_000);
