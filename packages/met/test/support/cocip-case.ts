import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import {
  airAlong,
  altitudeMFromLevel,
  type CocipParams,
  type ContrailSources,
  criticalTemperature,
  DEFAULT_COCIP_PARAMS,
  type FlightTrack,
  followContrails,
  levelFromAltitudeM,
  motionAlong,
  type PlumeColumn,
  type PlumeTable,
  sacInto,
  type TrajectoryContrails,
} from '@contrails/physics';
import { type CirrusExtent, DEFAULT_WINDOW_BUFFERS, movingWindows } from '../../src/moving-windows.ts';
import { readReferenceLevels, readReferenceRadiation } from './reference-met.ts';
import { scalingFrom } from './scaling.ts';

type Cell = number | string | boolean | null;
type Table = Record<string, Cell[]>;

export interface CaseFile {
  readonly id: string;
  readonly met: string;
  readonly rad: string;
  readonly wrap_longitude: boolean;
  readonly humidity_scaling: (Record<string, number | string> & { name: string }) | null;
  readonly tau_cirrus: CirrusExtent;
  readonly params: Record<string, number | boolean | null | [number, number]>;
}

interface FlightFile {
  readonly flights: readonly {
    readonly attrs: Record<string, string | number>;
    readonly data: Record<string, (number | null)[]>;
    readonly performance?: { wingspan: number; data: Record<string, (number | null)[]> };
  }[];
}

/** One row of the contrail table, by name of the plume column. */
export type ContrailRow = Record<PlumeColumn, number> & { readonly step: number };

export interface CaseResult {
  readonly flightIds: readonly string[];
  readonly firstRow: readonly number[];
  readonly sources: ContrailSources;
  readonly contrails: TrajectoryContrails;
  readonly rows: readonly ContrailRow[];
}

/** Where the cases are, or undefined when this checkout has not got them. */
export function caseFolder(id: string): URL | undefined {
  const places = [
    new URL('../reference/cocip/', import.meta.url),
    new URL('../../../../../shared/reference/cocip/', import.meta.url),
  ];
  return places.map((place) => new URL(`cases/${id}/`, place)).find((folder) => existsSync(folder));
}

export const readJson = <T>(folder: URL, name: string): T =>
  JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as T;

export const readContrailTable = (folder: URL): { contrail: Table; step_inputs: Table } | undefined => {
  const file = new URL('expected-contrail.json.gz', folder);
  return existsSync(file) ? JSON.parse(gunzipSync(readFileSync(file)).toString()) : undefined;
};

/** Runs a case with the performance that its files give. */
export async function runCase(folder: URL, forcing: 'single' | 'double'): Promise<CaseResult> {
  const file = readJson<CaseFile>(folder, 'case.json');
  const { flights } = readJson<FlightFile>(folder, 'flight.json');
  const params = { ...paramsOf(file), singlePrecisionForcing: forcing === 'single' };
  const base = new URL('../../', folder);
  const levels = await readReferenceLevels(new URL(file.met, base).pathname, file.wrap_longitude);
  const radiation = await readReferenceRadiation(new URL(file.rad, base).pathname, file.wrap_longitude);
  const scale = scalingFrom(file.humidity_scaling);

  const tracks = flights.map(({ data }) => trackOf(data));
  const firstRow = tracks.map((_, f) =>
    tracks.slice(0, f).reduce((sum, track) => sum + track.timeMs.length, 0),
  );
  const waypoints = {
    longitude: join(tracks.map((track) => track.longitude)),
    latitude: join(tracks.map((track) => track.latitude)),
    level: join(tracks.map((track) => track.level)),
    timeMs: join(tracks.map((track) => track.timeMs)),
  };
  const margins = (name: string) => file.params[name] as [number, number] | undefined;
  const buffers = {
    longitude: margins('met_longitude_buffer') ?? DEFAULT_WINDOW_BUFFERS.longitude,
    latitude: margins('met_latitude_buffer') ?? DEFAULT_WINDOW_BUFFERS.latitude,
    level: margins('met_level_buffer') ?? DEFAULT_WINDOW_BUFFERS.level,
  };
  const plan = movingWindows(levels, radiation, waypoints, buffers, file.tau_cirrus);

  const stages = flights.map((flight, f) => {
    const track = tracks[f] as FlightTrack;
    const air = airAlong(track, plan.formation, scale);
    const motion = motionAlong(track, air.u, air.v, params);
    return { track, air, motion, performance: performanceOf(flight, track.timeMs.length, params) };
  });
  const joined = (of: (stage: (typeof stages)[number]) => Float64Array) => join(stages.map(of));
  const count = waypoints.timeMs.length;
  const column = () => new Float64Array(count);
  const temperature = joined((stage) => stage.air.temperature);
  const humidity = joined((stage) => stage.air.humidity);
  const [sac, slope, thresholdK, rh] = [column(), column(), column(), column()];
  sacInto(
    { sac, slope, thresholdK, rh },
    {
      specificHumidity: humidity,
      temperatureK: temperature,
      pressurePa: joined((stage) => stage.track.pressurePa),
      engineEfficiency: joined((stage) => stage.performance.engineEfficiency),
      eiH2o: 1.23,
      qFuelJKg: 43.13e6,
    },
    'trajectory',
  );
  const sources: ContrailSources = {
    ...waypoints,
    count,
    flight: join(tracks.map((track, f) => new Float64Array(track.timeMs.length).fill(f))),
    waypoint: join(tracks.map((track) => Float64Array.from(track.timeMs, (_, i) => i))),
    temperature,
    humidity,
    u: joined((stage) => stage.air.u),
    v: joined((stage) => stage.air.v),
    sac,
    mixingSlope: slope,
    criticalTemperature: rh.map((value, i) =>
      criticalTemperature(value, slope[i] as number, thresholdK[i] as number),
    ),
    trueAirspeed: joined((stage) => stage.motion.trueAirspeed),
    fuelFlow: joined((stage) => stage.performance.fuelFlow),
    aircraftMass: joined((stage) => stage.performance.aircraftMass),
    wingspan: joined((stage) => stage.performance.wingspan),
    nvpmEiN: joined((stage) => stage.performance.nvpmEiN),
    eiH2o: column().fill(1.23),
  };
  const rows: ContrailRow[] = [];
  const contrails = followContrails(sources, firstRow, plan, scale, params, (plumes, n, step) => {
    for (let i = 0; i < n; i++) rows.push(rowOf(plumes, i, step));
  });
  return {
    flightIds: flights.map((flight) => String(flight.attrs.flight_id)),
    firstRow,
    sources,
    contrails,
    rows,
  };
}

function rowOf(plumes: PlumeTable, i: number, step: number): ContrailRow {
  const row: Record<string, number> = { step };
  for (const [name, column] of Object.entries(plumes)) row[name] = column[i] as number;
  return row as ContrailRow;
}

function trackOf(data: Record<string, (number | null)[]>): FlightTrack {
  const column = (name: string) => toNumbers(data[name] ?? []);
  const level = 'level' in data ? column('level') : column('altitude').map(levelFromAltitudeM);
  return {
    longitude: column('longitude'),
    latitude: column('latitude'),
    level,
    timeMs: column('time').map((seconds) => seconds * 1000),
    altitudeM: 'altitude' in data ? column('altitude') : level.map(altitudeMFromLevel),
    pressurePa: level.map((hpa) => 100 * hpa),
  };
}

function performanceOf(flight: FlightFile['flights'][number], count: number, params: CocipParams) {
  const columns = flight.performance?.data ?? flight.data;
  const spread = (name: string): Float64Array => {
    const values = columns[name];
    return values === undefined
      ? new Float64Array(count).fill(Number(flight.attrs[name] ?? flight.performance?.wingspan))
      : toNumbers(values);
  };
  const nvpm = spread('nvpm_ei_n');
  return {
    engineEfficiency: spread('engine_efficiency'),
    fuelFlow: spread('fuel_flow'),
    aircraftMass: spread('aircraft_mass'),
    wingspan: spread('wingspan'),
    // Delivered performance has the enhancement factor in it already.
    nvpmEiN: flight.performance ? nvpm : nvpm.map((index) => index * params.nvpmEiNEnhancementFactor),
  };
}

const PARAM_NAMES: Record<string, keyof CocipParams> = {
  max_depth: 'maxDepthM',
  effective_vertical_resolution: 'effectiveVerticalResolutionM',
  min_ice_particle_number_nvpm_ei_n: 'minIceParticleNumberNvpmEiN',
};

function paramsOf(file: CaseFile): CocipParams {
  const given = Object.entries(file.params)
    .filter(([name]) => !name.startsWith('met_'))
    .map(([name, value]) => {
      const camel =
        PARAM_NAMES[name] ?? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
      if (!(camel in DEFAULT_COCIP_PARAMS)) throw new Error(`the model has no parameter ${camel} (${name})`);
      return [camel, value];
    });
  return { ...DEFAULT_COCIP_PARAMS, ...Object.fromEntries(given) };
}

function join(columns: readonly Float64Array[]): Float64Array {
  return Float64Array.from(columns.flatMap((column) => [...column]));
}

function toNumbers(values: readonly (number | null)[]): Float64Array {
  return Float64Array.from(values, (value) => value ?? Number.NaN);
}
