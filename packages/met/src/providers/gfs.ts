import { HOUR_MS } from '@contrails/runtime';
import type { Piece, Provider, Wants } from '../sync/provider.ts';
import { type IndexedFile, indexedRuns } from './indexed-runs.ts';
import { compactRun, stepsUpTo } from './run-names.ts';

const NOMADS = 'https://nomads.ncep.noaa.gov/pub/data/nccf/com/gfs/prod';

const ON_LEVELS = ['TMP', 'SPFH', 'UGRD', 'VGRD', 'VVEL', 'HGT', 'ICMR'];
const AT_TOP = ['USWRF', 'ULWRF'];

const VARIABLE_OF: Readonly<Record<string, string>> = {
  TMP: 'air_temperature',
  SPFH: 'specific_humidity',
  UGRD: 'eastward_wind',
  VGRD: 'northward_wind',
  VVEL: 'vertical_velocity',
  HGT: 'geopotential',
  ICMR: 'specific_cloud_ice_water_content',
  USWRF: 'top_net_solar_radiation',
  ULWRF: 'top_net_thermal_radiation',
};

/** Where the reader knows a field by another name than the models. */
const READ_AS = {
  ...VARIABLE_OF,
  VVEL: 'lagrangian_tendency_of_air_pressure',
  HGT: 'geopotential_height',
  USWRF: 'toa_upward_shortwave_flux',
  ULWRF: 'toa_upward_longwave_flux',
};

/** Every second level is in its own file. */
const isBetween = (level: number) => level % 50 !== 0;

/** GFS of NOAA: the globe by the hour, with radiation and cloud ice. */
export const gfs: Provider = {
  name: 'gfs',
  type: 'forecast',
  origin: { kind: 'grib', provider: 'NOAA', dataset: 'GFS', product: 'forecast', radiation_intervals: true },
  attribution: 'Contains data of NOAA/NCEP GFS.',
  licence: 'public domain',
  warning: 'GFS has almost no ice supersaturation: persistent contrails are far too rare in it',
  defaultHours: 36,
  defaultLevels: [150, 200, 250, 300, 350, 400],
  cycleMs: 6 * HOUR_MS,
  delayMs: 3.5 * HOUR_MS,
  takesBbox: false,
  takesMembers: false,
  extension: 'grib2',
  roots: () => [
    'https://noaa-gfs-bdp-pds.s3.amazonaws.com',
    'https://storage.googleapis.com/global-forecast-system',
    NOMADS,
  ],
  politeness: (root) =>
    root.startsWith(NOMADS) ? { connections: 4, requestsPerMinute: 100 } : { connections: 16 },
  stepsTo: (hours) =>
    stepsUpTo(hours, [
      [1, 120],
      [3, 384],
    ]),
  open: (remote, wants) =>
    indexedRuns(remote, {
      variablesOf: READ_AS,
      lineEnd: ':',
      filesOf: (runMs, step) => [filesOf(runMs, step, wants)],
      read: (index, _, step, fileBytes) => readIndex(index, step, fileBytes, wants),
      needs: { source: 'gfs', params: ['TMP', 'SPFH'], levels: wants.levels },
    }),
  missing(files) {
    const held = new Set(files.flatMap(({ pieces }) => pieces.flatMap(({ param }) => param.split('+'))));
    const isAnalysis = files.every(({ step }) => step === 0);
    const wanted = isAnalysis ? ON_LEVELS : [...ON_LEVELS, ...AT_TOP];
    return wanted.filter((param) => !held.has(param)).map((param) => VARIABLE_OF[param] ?? param);
  },
  radiation: (missing) => (missing.some((variable) => variable.startsWith('top_net')) ? 'none' : 'means'),
};

function filesOf(runMs: number, step: number, { levels }: Wants): IndexedFile[] {
  const { day, hour, name } = compactRun(runMs);
  const padded = String(step).padStart(3, '0');
  const file = (kind: string, suffix: string): IndexedFile => {
    const path = `gfs.${day}/${hour}/atmos/gfs.t${hour}z.${kind}.0p25.f${padded}`;
    return { name: `gfs-${name}-${padded}${suffix}.grib2`, path, index: `${path}.idx` };
  };
  return levels.some(isBetween) ? [file('pgrb2', ''), file('pgrb2b', 'b')] : [file('pgrb2', '')];
}

/** Lines without lengths: a message reaches to the next one, the last to the end of the file. */
function readIndex(index: string, step: number, fileBytes: number, { levels }: Wants): Piece[] {
  const lines = index
    .split('\n')
    .map((line) => line.split(':'))
    .filter((parts) => parts.length >= 6)
    .map(([, offset, , param = '', where = '']) => ({ offset: Number(offset), param, where }));
  const offsets = [...new Set(lines.map(({ offset }) => offset))].sort((one, other) => one - other);
  const pieces = new Map<number, Piece>();
  for (const { offset, param, where } of lines) {
    const level = /^(\d+(?:\.\d+)?) mb$/.exec(where)?.[1];
    const isWanted =
      level === undefined
        ? where === 'top of atmosphere' && AT_TOP.includes(param)
        : ON_LEVELS.includes(param) && levels.includes(Number(level));
    if (!isWanted) continue;
    const end = offsets[offsets.indexOf(offset) + 1] ?? fileBytes;
    const together = pieces.get(offset);
    pieces.set(offset, {
      param: together === undefined ? param : `${together.param}+${param}`,
      level: level === undefined ? null : Number(level),
      step,
      offset,
      length: end - offset,
    });
  }
  return [...pieces.values()];
}
