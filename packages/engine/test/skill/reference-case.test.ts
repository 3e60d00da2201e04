import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openDuckDb } from '@contrails/formats';
import { expect, test } from 'vitest';
import { listForecast, readForecast, readObserved } from '../../src/skill/files.ts';
import { openObservations } from '../../src/skill/observations.ts';
import { ForecastScore, NAMED_REGIONS, type ScoreRow } from '../../src/skill/score.ts';

type Expected = Readonly<Record<string, number | string | null>>;

const FOLDER = fileURLToPath(new URL('../reference/skill/', import.meta.url));
const { rows: expected } = JSON.parse(readFileSync(`${FOLDER}expected.json`, 'utf8')) as { rows: Expected[] };

test('the reference case has the expected rates, intervals and counts', async () => {
  const { global, conus } = NAMED_REGIONS;
  const score = new ForecastScore({
    settings: [0, 1, 2, 3, 5, 10].map((buffer) => ({ buffer, threshold: undefined })),
    regions: { global, conus } as never,
    seasons: ['annual', 'winter'],
    resamples: 1000,
    seed: 0,
  });
  const observations = openObservations(`${FOLDER}observations`, tmpdir());
  const db = await openDuckDb({ memoryMiB: 256, threads: 1, temporaryDirectory: tmpdir() });
  try {
    for (const file of await listForecast(`${FOLDER}forecast`))
      score.add({ ...(await readForecast(file)), observed: await readObserved(db, observations, file) });
  } finally {
    db.close();
  }
  const rows = [...score.rows()];
  for (const wanted of expected) {
    const row = rows.find(
      ({ region, season, setting }) =>
        region === wanted.region && season === wanted.season && setting.buffer === wanted.horizontal_buffer,
    ) as ScoreRow;
    expect([row.shards, row.days, row.unknownCells]).toEqual([
      wanted.shards,
      wanted.days,
      wanted.unknown_cells,
    ]);
    for (const [name, source] of [
      ['penalty', 'adsb'],
      ['iagos_hit_rate', 'iagos'],
      ['gruan_hit_rate', 'gruan'],
      ['contrailwatch_hit_rate', 'contrailwatch'],
    ] as const) {
      const { value, interval } = row.figures[source];
      const label = `${name} of ${wanted.region}, ${wanted.season}, buffer ${wanted.horizontal_buffer}`;
      expect(Math.abs((value as number) - (wanted[name] as number)), label).toBeLessThan(1e-9);
      expect(Math.abs((interval?.[0] as number) - (wanted[`${name}_lo`] as number)), label).toBeLessThan(
        1e-6,
      );
      expect(Math.abs((interval?.[1] as number) - (wanted[`${name}_hi`] as number)), label).toBeLessThan(
        1e-6,
      );
    }
  }
});
