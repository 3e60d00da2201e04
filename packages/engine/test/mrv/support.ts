import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDuckDb } from '@contrails/formats';
import { openMet, openSource } from '@contrails/met';
import { openCompute } from '../../src/compute.ts';
import { DEFAULT_ACCF } from '../../src/flights/accf-settings.ts';
import type { ReportServices, ReportSettings } from '../../src/mrv/compute-report.ts';
import { DEFAULT_MRV } from '../../src/mrv/settings.ts';

export const MRV_TABLES = fileURLToPath(new URL('../reference/climate/mrv/', import.meta.url));
const WEATHER = fileURLToPath(new URL('../../../met/test/reference/climate/met/', import.meta.url));

export const SETTINGS: ReportSettings = {
  ...DEFAULT_MRV,
  scaling: 'exponential_boost_latitude_customization',
  accf: DEFAULT_ACCF,
};

export const SCOPE = { operator: 'XZ', from: '2025-01-01', to: '2025-01-31' } as const;

/** A folder with a copy of the weather of Europe. */
export function copyWeather(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weather-'));
  mkdirSync(join(folder, 'met'));
  for (const name of readdirSync(WEATHER).filter((one) => one.startsWith('europe')))
    copyFileSync(join(WEATHER, name), join(folder, 'met', name));
  return folder;
}

export async function openServices(weather: string): Promise<ReportServices & { close(): Promise<void> }> {
  const source = await openSource({
    kind: 'netcdf',
    name: 'europe',
    provider: 'ECMWF',
    dataset: 'ERA5',
    product: 'reanalysis',
    paths: ['met/europe.*.nc'],
    directory: weather,
    threads: 1,
  });
  const met = openMet({ sources: [source], memoryBytes: 2 ** 28, threads: 1 });
  const compute = openCompute({ threads: 1, maxQueue: 100 });
  const duckdb = await openDuckDb({
    memoryMiB: 256,
    threads: 1,
    temporaryDirectory: join(mkdtempSync(join(tmpdir(), 'duckdb-')), 'spill'),
  });
  return {
    met: { open: async () => met },
    compute,
    duckdb,
    async close() {
      duckdb.close();
      await Promise.all([met.close(), compute.close()]);
    },
  };
}

export function readCsv(path: string): Record<string, string>[] {
  const [head = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}
