/** Shards of a score from files in the layout of the public benchmark: `<unix seconds>_<flight level>`. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDb, sqlPath } from '@contrails/formats';
import type { openHdf5 } from '@contrails/met/netcdf-file';
import { ContrailsError, UsageError } from '@contrails/runtime/errors';
import type { Observations, ShardName } from './observations.ts';
import {
  MISSING,
  OBSERVATION_SOURCES,
  type ObservationSource,
  type ObservedCells,
  SCORED_GRID,
  type Shard,
} from './score.ts';

/** One file of a forecast. */
export interface ForecastFile extends ShardName {
  readonly path: string;
}

/** A file that does not match its place in the layout. */
class SkillFileError extends ContrailsError {}

/** The column of each source; all but the flown distance count where they are above 0. */
const COLUMNS: Readonly<Record<ObservationSource, string>> = {
  adsb: 'flight_distance',
  iagos: 'pcr_distance',
  gruan: 'pcr_count',
  contrailwatch: 'attributed_flight_distance',
};
const TOLERANCE_DEG = 1e-3;

/** The files of a forecast by time and level. */
export async function listForecast(directory: string): Promise<ForecastFile[]> {
  const names = await readdir(directory).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${directory} cannot be read (${cause.code}); give the directory of the forecast`, {
      cause,
    });
  });
  const files = names.flatMap((name) => {
    const [, seconds, level] = /^(\d+)_(\d{3})\.nc$/.exec(name) ?? [];
    if (seconds === undefined) return [];
    return [{ path: join(directory, name), timeMs: 1000 * Number(seconds), flightLevel: Number(level) }];
  });
  if (files.length === 0)
    throw new UsageError(
      `${directory} has no file such as 1704240000_330.nc; give the directory of the forecast`,
    );
  return files.sort((a, b) => a.timeMs - b.timeMs || a.flightLevel - b.flightLevel);
}

/** What was observed at the time and level of a file; sources without a file are left out. */
export async function readObserved(
  db: DuckDb,
  observations: Observations,
  shard: ShardName,
): Promise<Map<ObservationSource, ObservedCells>> {
  const observed = new Map<ObservationSource, ObservedCells>();
  for (const source of OBSERVATION_SOURCES) {
    const path = await observations.find(source, shard);
    if (path !== undefined) observed.set(source, await readCells(db, path, source));
  }
  return observed;
}

async function readCells(db: DuckDb, path: string, source: ObservationSource): Promise<ObservedCells> {
  const rows = await db
    .rows(
      `SELECT longitude::DOUBLE AS lon, latitude::DOUBLE AS lat, ${COLUMNS[source]}::DOUBLE AS amount FROM read_parquet(${sqlPath(path)})`,
    )
    .catch((cause: Error) => {
      throw new SkillFileError(
        `${path} cannot be read as observations of ${source} (${cause.message.split('\n', 1)[0]}); it needs the columns longitude, latitude and ${COLUMNS[source]}`,
        { cause, facts: { path, source } },
      );
    });
  const counted = source === 'adsb' ? rows : rows.filter(({ amount }) => Number(amount) > 0);
  const cells = Int32Array.from(counted, ({ lon, lat }) => cellAt(Number(lon), Number(lat), path));
  const weights = Float64Array.from(counted, ({ amount, lat }) =>
    source === 'adsb' ? Number(amount) : Math.cos((Number(lat) * Math.PI) / 180),
  );
  return { cells, weights };
}

function cellAt(longitude: number, latitude: number, path: string): number {
  const { columns, rows, step, west, south } = SCORED_GRID;
  const column = Math.round((longitude - west) / step);
  const row = Math.round((latitude - south) / step);
  const isOnGrid =
    Math.abs(west + step * column - longitude) <= TOLERANCE_DEG &&
    Math.abs(south + step * row - latitude) <= TOLERANCE_DEG &&
    row >= 0 &&
    row < rows;
  if (isOnGrid) return (((column % columns) + columns) % columns) * rows + row;
  throw new SkillFileError(
    `${path} has an observation at ${longitude}, ${latitude}, which is not the centre of a cell of ${step}° between latitudes ${south} and ${-south}`,
    { facts: { path, longitude, latitude, reason: 'not_on_grid' } },
  );
}

/** Variables that a forecast is read from, and when a cell of them belongs to the region. */
const FLAGS: Readonly<Record<string, (value: number) => boolean>> = {
  pcr: (value) => value !== 0,
  // Cooling contrails persist too.
  ef_per_m: (value) => value !== 0,
  contrails: (value) => value > 0,
};
const BY_THRESHOLD: Readonly<Record<string, (value: number, threshold: number | undefined) => boolean>> = {
  probability: (value, threshold = 0.5) => value >= threshold,
  rhi: (value, threshold = 1) => value > threshold,
};
const VARIABLES = [...Object.keys(FLAGS), ...Object.keys(BY_THRESHOLD)];

/** Opens a forecast file as the region of a shard. */
export async function readForecast({ path, timeMs }: ForecastFile): Promise<Omit<Shard, 'observed'>> {
  // To load the library takes longer than to start all the rest of a service.
  const library = await import('@contrails/met/netcdf-file');
  const file = library.openHdf5(path);
  try {
    const name = VARIABLES.find((one) => file.header.variables.some((variable) => variable.name === one));
    if (name === undefined)
      throw new SkillFileError(`${path} has none of the variables ${VARIABLES.join(', ')}`, {
        facts: { path },
      });
    const isInside = FLAGS[name];
    if (isInside !== undefined) {
      const region = readPlane(file, name, path, new Uint8Array(CELLS).fill(MISSING), (value) =>
        Number.isNaN(value) ? MISSING : isInside(value) ? 1 : 0,
      );
      return { timeMs, regionAbove: () => region };
    }
    const valuesOf = (variable: string) =>
      readPlane(file, variable, path, new Float64Array(CELLS).fill(Number.NaN), (value) => value);
    const values = valuesOf(name);
    const sac = name === 'rhi' ? valuesOf('sac') : undefined;
    const isAbove = BY_THRESHOLD[name] as (value: number, threshold: number | undefined) => boolean;
    return {
      timeMs,
      regionAbove(threshold) {
        const region = new Uint8Array(values.length);
        for (let cell = 0; cell < region.length; cell++) {
          const value = values[cell] as number;
          const criterion = sac === undefined ? 1 : (sac[cell] as number);
          if (Number.isNaN(value) || Number.isNaN(criterion)) region[cell] = MISSING;
          else if (criterion === 1 && isAbove(value, threshold)) region[cell] = 1;
        }
        return region;
      },
    };
  } finally {
    file.close();
  }
}

const CELLS = SCORED_GRID.columns * SCORED_GRID.rows;

type OpenFile = ReturnType<typeof openHdf5>;

/** Fills a plane of scored cells, longitude by longitude, from a variable with its dimensions and axes in any order. */
function readPlane<Plane extends Float64Array | Uint8Array>(
  { header, read }: OpenFile,
  name: string,
  path: string,
  plane: Plane,
  become: (value: number) => number,
): Plane {
  const variable = header.variables.find((one) => one.name === name);
  const [longitude, latitude] = [header.coordinates.get('longitude'), header.coordinates.get('latitude')];
  if (variable === undefined || longitude === undefined || latitude === undefined)
    throw new SkillFileError(`${path} lacks ${name}, longitude or latitude`, { facts: { path, name } });
  const { columns, rows, step, west, south } = SCORED_GRID;
  const columnOf = longitude.map((lon) => ((Math.round((lon - west) / step) % columns) + columns) % columns);
  const rowOf = latitude.map((lat) => Math.round((lat - south) / step));
  if (
    longitude.length !== columns ||
    new Set(columnOf).size !== columns ||
    !rowOf.includes(0) ||
    !rowOf.includes(rows - 1)
  )
    throw new SkillFileError(
      `${path} is not on cells of ${step}° all around the globe that contain latitudes ${south} to ${-south}`,
      { facts: { path } },
    );
  const { shape, dimensions } = variable;
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((product, n) => product * n, 1));
  const [lonAxis, latAxis] = [dimensions.indexOf('longitude'), dimensions.indexOf('latitude')];
  if (
    lonAxis < 0 ||
    latAxis < 0 ||
    shape.reduce((product, n) => product * n, 1) !== longitude.length * latitude.length
  )
    throw new SkillFileError(`${name} of ${path} is not one plane of longitude and latitude`, {
      facts: { path, name },
    });
  const loan = read(
    variable,
    shape.map(() => 0),
    shape,
  );
  try {
    const stored = loan.values();
    const { _FillValue: fill, scale_factor = 1, add_offset = 0 } = variable.attributes;
    const [scale, offset] = [Number(scale_factor), Number(add_offset)];
    const [ofLon, ofLat] = [strides[lonAxis] as number, strides[latAxis] as number];
    for (let i = 0; i < longitude.length; i++) {
      const [from, to] = [i * ofLon, (columnOf[i] as number) * rows];
      for (let j = 0; j < latitude.length; j++) {
        const row = rowOf[j] as number;
        if (row < 0 || row >= rows) continue;
        const value = Number(stored[from + j * ofLat]);
        plane[to + row] = become(value === fill ? Number.NaN : value * scale + offset);
      }
    }
    return plane;
  } finally {
    loan.release();
  }
}
