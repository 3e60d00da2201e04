import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { altitudeMFromLevel, levelFromAltitudeM } from '@contrails/physics/atmosphere';
import {
  airAlong,
  type CocipFlight,
  type CocipParams,
  type ContrailSources,
  contrailSources,
  DEFAULT_COCIP_PARAMS,
  type EvaluatedFlight,
  evaluateFlightInAir,
  followContrails,
  joinSources,
  type PlumeColumn,
  type PlumeTable,
  type StepObserver,
  type TrajectoryContrails,
  type WeatherPlan,
  weatherPoints,
} from '@contrails/physics/cocip';
import type { FlightAttributes, FlightColumns } from '@contrails/physics/flight';
import type { MetField } from '../../src/field/field.ts';
import type { RadiationField } from '../../src/interpolate/radiation-sampler.ts';
import { weatherOf } from '../../src/interpolate/weather.ts';
import {
  type CirrusExtent,
  DEFAULT_WINDOW_BUFFERS,
  movingWindows,
  type WindowBuffers,
} from './moving-windows.ts';
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
  readonly firstRow: Uint32Array;
  readonly flights: readonly EvaluatedFlight[];
  readonly sources: ContrailSources;
  readonly contrails: TrajectoryContrails;
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

/** Runs a case with the performance that its files give, in single precision, and keeps every row of every step. */
export async function runCase(folder: URL): Promise<CaseResult & { readonly rows: readonly ContrailRow[] }> {
  const rows: ContrailRow[] = [];
  const run = await prepareCase(folder, { forcing: 'single', performance: 'given', windows: 'moving' });
  const result = run((plumes, n, step) => {
    for (let i = 0; i < n; i++) rows.push(rowOf(plumes, i, step));
  });
  return { ...result, rows };
}

export interface CaseOptions {
  readonly forcing: 'single' | 'double';
  readonly performance: 'given' | 'own';
  /** Whether contrails see all weather or the windows of the reference. */
  readonly windows: 'none' | 'moving';
  /** Other radiation than that of the case. */
  readonly alter?: (radiation: RadiationField) => RadiationField;
}

/** Reads a case and its weather; the answered function runs it, as often as it is called. */
export async function prepareCase(
  folder: URL,
  { forcing, performance, windows, alter = (radiation) => radiation }: CaseOptions,
): Promise<(onStep?: StepObserver) => CaseResult> {
  const file = readJson<CaseFile>(folder, 'case.json');
  const { flights } = readJson<FlightFile>(folder, 'flight.json');
  const params = { ...paramsOf(file), singlePrecisionForcing: forcing === 'single' };
  const { levels, radiation: stored } = await weatherOfCase(new URL('../../', folder), file);
  const radiation = alter(stored);
  const scale = scalingFrom(file.humidity_scaling);
  const tracks = flights.map(({ data }) => trackOf(data));
  const planWeather = (): WeatherPlan => {
    if (windows === 'moving') {
      return movingWindows(
        levels,
        radiation,
        joinRows(tracks.map(weatherPoints)),
        buffersOf(file),
        file.tau_cirrus,
      );
    }
    const weather = weatherOf(levels, radiation);
    return { formation: weather, evolution: () => weather };
  };

  return (onStep) => {
    const plan = planWeather();
    const parts = flights.map((flight, f) => {
      const track = tracks[f] as CocipFlight;
      const { attributes, given } =
        performance === 'own' ? ownPerformance(flight) : givenPerformance(flight, track.timeMs.length);
      const evaluated = evaluateFlightInAir(
        { ...track, ...given },
        airAlong(track, plan.formation, scale),
        attributes,
        params,
      );
      // Delivered performance has the enhancement factor in it already.
      const delivered = performance === 'given' && flight.performance !== undefined;
      const factor = delivered ? 1 : params.nvpmEiNEnhancementFactor;
      const sources = contrailSources(evaluated, f, attributes, {
        ...params,
        nvpmEiNEnhancementFactor: factor,
      });
      return { evaluated, sources };
    });
    const { sources, firstRow } = joinSources(parts.map((part) => part.sources));
    const contrails = followContrails(sources, firstRow, plan, scale, params, onStep);
    return {
      flightIds: flights.map((flight) => String(flight.attrs.flight_id)),
      firstRow,
      flights: parts.map((part) => part.evaluated),
      sources,
      contrails,
    };
  };
}

interface CaseWeather {
  readonly levels: MetField;
  readonly radiation: RadiationField;
}

/** Of the case that was prepared last: one is prepared several times in a row, and reading its weather takes longest. */
let last: { readonly key: string; readonly weather: Promise<CaseWeather> } | undefined;

function weatherOfCase(base: URL, { met, rad, wrap_longitude }: CaseFile): Promise<CaseWeather> {
  const key = [met, rad, wrap_longitude].join(' ');
  if (last?.key !== key) last = { key, weather: read() };
  return last.weather;

  async function read(): Promise<CaseWeather> {
    const [levelsPath, radiationPath] = [met, rad].map((name) => fileURLToPath(new URL(name, base)));
    return {
      levels: await readReferenceLevels(levelsPath ?? '', wrap_longitude),
      radiation: await readReferenceRadiation(radiationPath ?? '', wrap_longitude),
    };
  }
}

function buffersOf({ params }: CaseFile): WindowBuffers {
  const margins = (name: string) => params[name] as [number, number] | undefined;
  return {
    longitude: margins('met_longitude_buffer') ?? DEFAULT_WINDOW_BUFFERS.longitude,
    latitude: margins('met_latitude_buffer') ?? DEFAULT_WINDOW_BUFFERS.latitude,
    level: margins('met_level_buffer') ?? DEFAULT_WINDOW_BUFFERS.level,
  };
}

function rowOf(plumes: PlumeTable, i: number, step: number): ContrailRow {
  const row: Record<string, number> = { step };
  for (const [name, column] of Object.entries(plumes)) row[name] = column[i] as number;
  return row as ContrailRow;
}

function trackOf(data: Record<string, (number | null)[]>): CocipFlight {
  const column = (name: string) => toNumbers(data[name] ?? []);
  const level = 'level' in data ? column('level') : column('altitude').map(levelFromAltitudeM);
  return {
    longitude: column('longitude'),
    latitude: column('latitude'),
    levelHpa: level,
    timeMs: column('time').map((seconds) => seconds * 1000),
    altitudeM: 'altitude' in data ? column('altitude') : level.map(altitudeMFromLevel),
    airPressurePa: level.map((hpa) => 100 * hpa),
  };
}

type CaseFlight = FlightFile['flights'][number];

/** Everything that the performance and emissions models would deliver, from the files. */
function givenPerformance(
  flight: CaseFlight,
  count: number,
): {
  attributes: FlightAttributes;
  given: Partial<Pick<FlightColumns, 'engineEfficiency' | 'fuelFlowKgS' | 'aircraftMassKg' | 'nvpmEiN'>>;
} {
  const columns = flight.performance?.data ?? flight.data;
  const spread = (name: string): Float64Array => {
    const values = columns[name];
    return values === undefined
      ? new Float64Array(count).fill(Number(flight.attrs[name]))
      : toNumbers(values);
  };
  return {
    attributes: { wingspanM: Number(flight.performance?.wingspan ?? flight.attrs.wingspan) },
    given: {
      engineEfficiency: spread('engine_efficiency'),
      fuelFlowKgS: spread('fuel_flow'),
      aircraftMassKg: spread('aircraft_mass'),
      nvpmEiN: spread('nvpm_ei_n'),
    },
  };
}

function ownPerformance(flight: CaseFlight): {
  attributes: FlightAttributes;
  given: Partial<Pick<FlightColumns, 'engineEfficiency' | 'fuelFlowKgS' | 'aircraftMassKg' | 'nvpmEiN'>>;
} {
  return { attributes: { aircraftType: String(flight.attrs.aircraft_type) }, given: {} };
}

const PARAM_NAMES: Record<string, keyof CocipParams> = {
  max_depth: 'maxDepthM',
  effective_vertical_resolution: 'effectiveVerticalResolutionM',
  min_ice_particle_number_nvpm_ei_n: 'minIceParticleNumberNvpmEiN',
};

/** More columns of the reference; nothing that it computes depends on them. */
const OUTPUT_ONLY: ReadonlySet<string> = new Set(['verbose_outputs', 'compute_atr20']);

function paramsOf(file: CaseFile): CocipParams {
  const given = Object.entries(file.params)
    .filter(([name]) => !name.startsWith('met_') && !OUTPUT_ONLY.has(name))
    .map(([name, value]) => {
      const camel =
        PARAM_NAMES[name] ?? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
      if (!(camel in DEFAULT_COCIP_PARAMS)) throw new Error(`the model has no parameter ${camel} (${name})`);
      return [camel, value];
    });
  return { ...DEFAULT_COCIP_PARAMS, ...Object.fromEntries(given) };
}

function toNumbers(values: readonly (number | null)[]): Float64Array {
  return Float64Array.from(values, (value) => value ?? Number.NaN);
}

/** Columns of several sets of rows, one after the other; numbers (counts) are added up. */
function joinRows<T extends object>(sets: readonly T[]): T {
  const first = sets[0] as T;
  if (sets.length === 1) return first;
  return Object.fromEntries(
    Object.entries(first).map(([name, value]) => {
      const values = sets.map((set) => (set as Record<string, Float64Array | number>)[name]);
      return [
        name,
        typeof value === 'number'
          ? (values as number[]).reduce((sum, n) => sum + n, 0)
          : Float64Array.from((values as Float64Array[]).flatMap((column) => [...column])),
      ];
    }),
  ) as T;
}
