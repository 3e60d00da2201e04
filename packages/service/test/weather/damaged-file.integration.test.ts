import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/configuration.ts';
import { checkSources } from '../../src/doctor/weather.ts';
import { createRegistry } from '../../src/metrics.ts';
import { openServices } from '../../src/open.ts';
import { checkWeather } from '../../src/weather/index.ts';

const damaged = join(import.meta.dirname, '../../../met/test/reference/damaged');

/** A file on which the HDF5 library loops for ever beside a good one, in the configuration of a user. */
function configured() {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-damaged-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  copyFileSync(join(damaged, 'loop-325.nc'), join(directory, 'a.nc'));
  copyFileSync(join(damaged, 'whole.nc'), join(directory, 'b.nc'));
  const source = { name: 'era5', kind: 'netcdf', paths: ['*.nc'] };
  const origin = { provider: 'ECMWF', dataset: 'ERA5', product: 'reanalysis' };
  const environment = {
    CONTRAILS_DATA: join(directory, 'data'),
    CONTRAILS_MET__SOURCES: JSON.stringify([{ ...source, ...origin }]),
    CONTRAILS_MET__READ_TIMEOUT_SECONDS: '2',
  };
  return loadConfig({ environment, directory });
}

const LEFT_OUT = /a\.nc is left out: .*made no progress for 2 s/;

test('"met check" and the doctor name the file and the reason', async () => {
  const config = configured();
  const { findings, ranges } = await checkWeather(config, 'era5');
  expect(findings[0]).toMatchObject({ state: 'warn', message: expect.stringMatching(LEFT_OUT) });
  expect(ranges.map(({ variable }) => variable)).toContain('air_temperature');
  const found = await checkSources(config);
  expect(found).toContainEqual(
    expect.objectContaining({ check: 'weather era5', message: expect.stringMatching(LEFT_OUT) }),
  );
});

test('the service goes on, and its log and metrics name the file', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const services = await openServices(configured(), log);
  onTestFinished(() => services.close());
  const start = Date.parse('2024-04-01T00:00:00Z');
  const { levels, release } = await (await services.met.open()).openWeather({
    for: 'formation',
    time: [start, start + HOUR_MS],
    level: [200, 250],
    latitude: [12, 28],
    longitude: [12, 38],
  });
  release();
  expect(levels.slabs).toHaveLength(2);
  const left = lines.map((line) => JSON.parse(line)).filter(({ file }) => file?.endsWith('a.nc'));
  expect(left).toMatchObject([{ source: 'era5', msg: expect.stringMatching(/no progress for 2 s/) }]);
  const metrics = await createRegistry(services).metrics();
  expect(metrics).toMatch(
    /contrails_weather_file_quarantined\{source="era5",file="[^"]*a\.nc",reason="[^"]*no progress for 2 s[^"]*"\} 1/,
  );
  expect(metrics).toMatch(/contrails_memory_bytes\{kind="weather"\} [1-9]/);
});
