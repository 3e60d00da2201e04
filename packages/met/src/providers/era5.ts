import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import type { PlannedFile, Provider, RemotePart, Wants } from '../sync/provider.ts';
import type { Remote } from '../sync/remote.ts';
import { bytesRead, convertedRuns } from './converted-runs.ts';
import { listObjects } from './list-objects.ts';
import { startBefore } from './run-names.ts';

interface Variable {
  readonly name: string;
  readonly id: string;
  readonly grid: string;
  readonly unit: string;
}

const ON_LEVELS: readonly Variable[] = [
  { name: 'z', id: '128_129_z', grid: 'll025sc', unit: 'm2 s-2' },
  { name: 't', id: '128_130_t', grid: 'll025sc', unit: 'K' },
  { name: 'u', id: '128_131_u', grid: 'll025uv', unit: 'm s-1' },
  { name: 'v', id: '128_132_v', grid: 'll025uv', unit: 'm s-1' },
  { name: 'q', id: '128_133_q', grid: 'll025sc', unit: 'kg kg-1' },
  { name: 'w', id: '128_135_w', grid: 'll025sc', unit: 'Pa s-1' },
  { name: 'ciwc', id: '128_247_ciwc', grid: 'll025sc', unit: 'kg kg-1' },
];
const SUMS: readonly Variable[] = [
  { name: 'tsr', id: '128_178_tsr', grid: 'll025sc', unit: 'J m-2' },
  { name: 'ttr', id: '128_179_ttr', grid: 'll025sc', unit: 'J m-2' },
];
/** Levels in a file, of which the wanted ones are read. */
const STORED_LEVELS = 37;
/** Days in a file of sums, of which one is read. */
const HALF_MONTH = 15;

export const ERA5_LEVELS = [150, 175, 200, 225, 250, 300, 350, 400];

/** ERA5 in the public files of NSF NCAR. */
export const era5: Provider = {
  name: 'era5',
  type: 'reanalysis',
  origin: { kind: 'netcdf', provider: 'ECMWF', dataset: 'ERA5', product: 'reanalysis' },
  attribution: 'Contains modified Copernicus Climate Change Service information.',
  licence: 'CC-BY-4.0',
  defaultHours: 0,
  defaultLevels: ERA5_LEVELS,
  cycleMs: DAY_MS,
  delayMs: 60 * DAY_MS,
  takesBbox: true,
  takesMembers: false,
  extension: 'nc',
  roots: () => ['https://nsf-ncar-era5.s3.us-west-2.amazonaws.com'],
  politeness: () => ({ connections: 16 }),
  stepsTo: () => [0],
  open: (remote, wants) => ({
    lastDay: () => lastDay(remote),
    ...convertedRuns(remote, {
      isLazy: true,
      hasStep: async (dayMs) =>
        (await remote.head(levelsPath(dayMs, ON_LEVELS.at(-1) as Variable))) !== undefined,
      planStep: (dayMs) => planDay(remote, dayMs, wants),
      jobOf: (dayMs, { name, parts = [] }, local, output) => {
        const variable = [...ON_LEVELS, ...SUMS].find((one) => name.endsWith(`-${one.name}.nc`)) as Variable;
        return {
          kind: 'era5',
          files: parts.map(local),
          dayMs,
          variable: variable.name,
          unit: variable.unit,
          levels: ON_LEVELS.includes(variable) ? wants.levels : [],
          ...(wants.bbox === undefined ? {} : { bbox: wants.bbox }),
          output,
        };
      },
    }),
  }),
  missing: () => [],
  radiation: () => 'means',
};

async function planDay(remote: Remote, dayMs: number, { levels }: Wants): Promise<PlannedFile[] | undefined> {
  const files: PlannedFile[] = [];
  for (const variable of [...ON_LEVELS, ...SUMS]) {
    const isSum = SUMS.includes(variable);
    const paths = isSum ? sumPaths(dayMs, variable) : [levelsPath(dayMs, variable)];
    const parts: RemotePart[] = [];
    for (const path of paths) {
      const found = await remote.head(path);
      if (found === undefined) return undefined;
      parts.push({ role: variable.name, path, bytes: found.size, etag: found.etag });
    }
    files.push({
      name: `era5-${compactDay(dayMs)}-${variable.name}.nc`,
      step: 0,
      path: paths[0] ?? '',
      etag: parts[0]?.etag,
      bytes: bytesRead(remote, parts, isSum ? 1 / HALF_MONTH : levels.length / STORED_LEVELS),
      pieces: [],
      parts,
    });
  }
  return files;
}

const compactDay = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');

function levelsPath(dayMs: number, { id, grid }: Variable): string {
  const day = compactDay(dayMs);
  return `e5.oper.an.pl/${day.slice(0, 6)}/e5.oper.an.pl.${id}.${grid}.${day}00_${day}23.nc`;
}

/** The last day with a file of temperature, by the listing of the newest month. */
async function lastDay(remote: Remote): Promise<string | undefined> {
  const month = (await listObjects(remote, 'e5.oper.an.pl/')).folders.at(-1);
  if (month === undefined) return undefined;
  const { objects } = await listObjects(remote, `${month}e5.oper.an.pl.128_130_t.`);
  const [, year, of, day] = /\.(\d{4})(\d\d)(\d\d)00_/.exec([...objects.keys()].at(-1) ?? '') ?? [];
  return year === undefined ? undefined : `${year}-${of}-${day}`;
}

/** Files of half months, by the starts of the forecasts that a day needs: two on the 1st and the 16th. */
function sumPaths(dayMs: number, { id, grid }: Variable): string[] {
  const starts = [startBefore(dayMs), startBefore(dayMs + 25 * HOUR_MS)];
  const paths = starts.map((ms) => {
    const [from, to] = halfMonth(ms);
    const stamp = (time: number) => `${compactDay(time)}06`;
    return `e5.oper.fc.sfc.accumu/${compactDay(from).slice(0, 6)}/e5.oper.fc.sfc.accumu.${id}.${grid}.${stamp(from)}_${stamp(to)}.nc`;
  });
  return [...new Set(paths)];
}

/** First start and end of the half month in which a start lies. */
function halfMonth(ms: number): readonly [from: number, to: number] {
  const date = new Date(ms);
  const at = (month: number, day: number) => Date.UTC(date.getUTCFullYear(), month, day, 6);
  const month = date.getUTCMonth();
  if (ms < at(month, 1)) return [at(month - 1, 16), at(month, 1)];
  return ms < at(month, 16) ? [at(month, 1), at(month, 16)] : [at(month, 16), at(month + 1, 1)];
}
