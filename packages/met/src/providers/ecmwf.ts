import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { SyncError } from '../sync/failures.ts';
import type { Piece, Provider, Wants } from '../sync/provider.ts';
import { type IndexedFile, indexedRuns } from './indexed-runs.ts';
import { compactRun, stepsUpTo } from './run-names.ts';

const ECMWF = 'https://data.ecmwf.int/forecasts';
const AMAZON = 'https://ecmwf-forecasts.s3.eu-central-1.amazonaws.com';
const GOOGLE = 'https://storage.googleapis.com/ecmwf-open-data';
/** ECMWF itself keeps the newest days. */
const KEPT_MS = 4 * DAY_MS;
/** From here on all runs are of the stream `oper`, and the control of the ensemble is its forecast. */
const CYCLE_50R1_MS = Date.UTC(2026, 4, 12, 6);
const FIRST_MS = Date.UTC(2024, 1, 28, 6);

/** On pressure levels; the names of those that are taken where they exist come last. */
const ON_LEVELS = ['t', 'q', 'u', 'v', 'w', 'gh', 'ciwc'];
const WITHOUT_LEVELS = ['ttr', 'ssr', 'tcwv', 'tsr'];

const VARIABLE_OF: Readonly<Record<string, string>> = {
  u: 'eastward_wind',
  v: 'northward_wind',
  w: 'vertical_velocity',
  gh: 'geopotential',
  ciwc: 'specific_cloud_ice_water_content',
  tsr: 'top_net_solar_radiation',
  ttr: 'top_net_thermal_radiation',
  ssr: 'surface_net_solar_radiation',
  tcwv: 'total_column_water_vapour',
};

/** Where the reader knows a field by another name than the models. */
const READ_AS = {
  ...VARIABLE_OF,
  t: 'air_temperature',
  q: 'specific_humidity',
  w: 'lagrangian_tendency_of_air_pressure',
  gh: 'geopotential_height',
};

/** Open data of ECMWF: the forecast of the whole globe, and its ensemble. */
export const ecmwf: Provider = {
  name: 'ecmwf',
  type: 'forecast',
  origin: {
    kind: 'grib',
    provider: 'ECMWF',
    dataset: 'IFS',
    product: 'forecast',
    radiation_intervals: true,
    estimate_radiation: true,
  },
  attribution: 'Contains modified data of ECMWF open data (CC-BY-4.0).',
  licence: 'CC-BY-4.0',
  defaultHours: 36,
  defaultLevels: [150, 200, 250, 300, 400],
  cycleMs: 6 * HOUR_MS,
  delayMs: 6 * HOUR_MS,
  takesBbox: false,
  takesMembers: true,
  extension: 'grib2',
  roots: (runMs, nowMs) => (nowMs - runMs > KEPT_MS ? [AMAZON, GOOGLE, ECMWF] : [ECMWF, AMAZON, GOOGLE]),
  politeness: (root) => ({ connections: root.startsWith(ECMWF) ? 2 : 16 }),
  stepsTo: (hours) =>
    stepsUpTo(hours, [
      [3, 144],
      [6, 360],
    ]),
  open: (remote, wants) =>
    indexedRuns(remote, {
      variablesOf: READ_AS,
      lineEnd: '}',
      filesOf: (runMs, step) => filesOf(runMs, step, wants),
      read: (index, file, step) => readIndex(index, file, step, wants),
      needs: { source: 'ecmwf', params: ['t', 'q'], levels: wants.levels },
    }),
  missing(files) {
    const held = new Set(
      files
        .filter(({ step }) => step > 0 || files.length === 1)
        .flatMap(({ pieces }) => pieces.map(({ param }) => param)),
    );
    const lacks = [...ON_LEVELS, ...WITHOUT_LEVELS].filter((param) => !held.has(param));
    return lacks.map((param) => VARIABLE_OF[param] ?? param);
  },
  radiation(missing) {
    if (!missing.includes('top_net_solar_radiation')) return 'means';
    const needs = ['surface_net_solar_radiation', 'total_column_water_vapour', 'top_net_thermal_radiation'];
    return needs.some((variable) => missing.includes(variable)) ? 'none' : 'estimated';
  },
  refuses: (runMs) => (runMs < FIRST_MS ? 'before 2024-02-28 open data had other resolutions' : undefined),
};

/** Where the stream is not the expected one, the other is tried. */
function filesOf(runMs: number, step: number, { members }: Wants): IndexedFile[][] {
  const { day, hour, name } = compactRun(runMs);
  const isShort = (hour === '06' || hour === '18') && runMs < CYCLE_50R1_MS;
  const file = (stream: string, kind: string, suffix: string): IndexedFile => {
    const path = `${day}/${hour}z/ifs/0p25/${stream}/${day}${hour}0000-${step}h-${stream}-${kind}`;
    const padded = String(step).padStart(3, '0');
    return { name: `ecmwf-${name}-${padded}${suffix}.grib2`, path: `${path}.grib2`, index: `${path}.index` };
  };
  const streams = isShort ? ['scda', 'oper'] : ['oper', 'scda'];
  const ensemble = members === undefined ? [] : [file('enfo', 'ef', '-members')];
  // The control was in the file of the ensemble.
  if (members !== undefined && runMs < CYCLE_50R1_MS) return [ensemble];
  return streams.map((stream) => [file(stream, 'fc', ''), ...ensemble]);
}

interface IndexLine {
  readonly type?: string;
  readonly step?: string;
  readonly levtype?: string;
  readonly levelist?: string;
  readonly param?: string;
  readonly number?: string;
  readonly _offset?: number;
  readonly _length?: number;
}

function readIndex(index: string, file: IndexedFile, step: number, wants: Wants): Piece[] {
  const ofMembers = file.name.includes('-members');
  const { levels, members = 0 } = wants;
  const pieces = index
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as IndexLine)
    .flatMap((line): Piece[] => {
      const { type, levtype, levelist, param = '', number, _offset: offset, _length: length } = line;
      if (offset === undefined || length === undefined || Number(line.step) !== step) return [];
      const member = type === 'pf' ? Number(number) : type === 'cf' ? 0 : undefined;
      if (ofMembers ? member === undefined || member > members : member !== undefined) return [];
      const level = levtype === 'pl' ? Number(levelist) : null;
      const isWanted =
        level === null
          ? levtype === 'sfc' && WITHOUT_LEVELS.includes(param)
          : ON_LEVELS.includes(param) && levels.includes(level);
      if (!isWanted) return [];
      return [{ param, level, step, ...(member === undefined ? {} : { member }), offset, length }];
    });
  if (ofMembers) requireMembers(pieces, members, step);
  return pieces;
}

function requireMembers(pieces: readonly Piece[], members: number, step: number): void {
  const held = new Set(pieces.flatMap(({ member = 0 }) => (member > 0 ? [member] : [])));
  if (held.size >= members) return;
  throw new SyncError(
    `step ${step} h of ecmwf has ${held.size} of ${members} members`,
    held.size > 0 ? `use --members ${held.size}` : 'leave --members out, or choose another run',
  );
}
