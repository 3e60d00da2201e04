/** Contrails on weather without shortwave radiation at the top of the atmosphere, as ECMWF publishes it. */
import type { SourceSettings } from '@contrails/met';
import { expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../src/index.ts';

const TREE = new URL('../../met/test/reference/weather-sync/tree/', import.meta.url).pathname;
const ECMWF: SourceSettings = {
  name: 'ecmwf',
  kind: 'grib',
  provider: 'ECMWF',
  dataset: 'IFS',
  product: 'forecast',
  directory: `${TREE}ecmwf/20260914/00z/ifs/0p25/oper`,
  paths: ['*.grib2'],
  radiationIntervals: true,
  estimateRadiation: true,
  attribution: 'Contains modified data of ECMWF open data (CC-BY-4.0).',
};
const GFS: SourceSettings = {
  name: 'gfs',
  kind: 'grib',
  provider: 'NOAA',
  dataset: 'GFS',
  product: 'forecast',
  directory: `${TREE}gfs/gfs.20260914/00/atmos`,
  paths: ['gfs.t00z.pgrb2.0p25.f???'],
  radiationIntervals: true,
};
const START = Date.parse('2026-09-14T05:00Z');
const MINUTES = Array.from({ length: 30 }, (_, minute) => minute);
/** A flight by day, in air that is moist enough by the scaling. */
const FLIGHT = {
  aircraft_type: 'A320',
  time: MINUTES.map((minute) => new Date(START + 60_000 * minute).toISOString()),
  longitude: MINUTES.map((minute) => 20 + 0.15 * minute),
  latitude: MINUTES.map(() => 50),
  altitude: MINUTES.map(() => 34_000),
};
const OPTIONS = {
  include: 'met',
  humidity_scaling: 'constant_scale',
  rhi_adj: 0.6,
  max_age_hours: 3,
  met_source: 'ecmwf',
};

async function contrails(weather: readonly SourceSettings[], options: Record<string, number | string> = {}) {
  const engine = await openEngine({ weather, threads: 1, memoryMib: 128 });
  onTestFinished(() => engine.close());
  return engine.cocip(FLIGHT, { ...OPTIONS, ...options });
}

const sumOf = (answer: Readonly<Record<string, unknown>>) =>
  (answer.energy_forcing as Float64Array).reduce((sum, joules) => sum + (joules || 0), 0);

const WARNING = 'reflected shortwave radiation is estimated from the surface (about 10 W m⁻²)';

test('runs on ECMWF open data alone, and says that radiation is estimated', async () => {
  const answer = await contrails([ECMWF]);
  expect(sumOf(answer)).not.toBe(0);
  expect(answer).toMatchObject({
    met_source_provider: 'ECMWF',
    met_source_radiation: 'estimated',
    met_source_attribution: ECMWF.attribution,
  });
  expect(answer.warnings).toEqual(
    expect.arrayContaining([WARNING, expect.stringContaining('weather source ecmwf has no cloud ice')]),
  );
});

test('takes the radiation of another source', async () => {
  const [own, other] = [await contrails([ECMWF]), await contrails([{ ...ECMWF, radiationFrom: 'gfs' }, GFS])];
  expect(other.met_source_radiation).toBe('gfs 2026-09-14T00:00:00Z');
  expect(other.warnings).not.toContain(WARNING);
  expect(sumOf(other)).not.toBe(0);
  expect(sumOf(other)).not.toBeCloseTo(sumOf(own));
});

test('does not run without radiation where estimates are off', async () => {
  await expect(contrails([{ ...ECMWF, estimateRadiation: false }])).rejects.toThrow('radiation');
});

test('varies the estimate with the samples, and names it among what varies', async () => {
  const uncertain = (answer: Readonly<Record<string, unknown>>) =>
    answer.uncertainty as {
      parameters: Record<string, unknown>;
      totals: { energy_forcing: { sd: number } };
      notes: string[];
    };
  const query = { uncertainty: 8, uncertainty_parameters: 'radiation_estimate' };
  const estimated = uncertain(await contrails([ECMWF], query));
  expect(estimated.parameters).toEqual({
    radiation_estimate: { distribution: 'truncated-normal', values: [0, 0.02, 0.06] },
  });
  expect(estimated.totals.energy_forcing.sd).toBeGreaterThan(0);
  const known = uncertain(await contrails([{ ...ECMWF, radiationFrom: 'gfs' }, GFS], query));
  expect(known.parameters).toEqual({});
  expect(known.totals.energy_forcing.sd).toBe(0);
});
