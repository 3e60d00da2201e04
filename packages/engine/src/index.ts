/** Contrail models, plans, grids and their weather in one object, for programs without a server. */
import type { DuckDb } from '@contrails/formats';
import { type Met, type MetSource, openMet, openSource, type SourceSettings } from '@contrails/met';
import type { FlightTrack } from '@contrails/observations/attribution';
import type { GridName } from '@contrails/observations/navigation';
import { UsageError } from '@contrails/runtime';
import { asUsage } from '@contrails/runtime/errors';
import { type OptionName, readFlags } from '@contrails/runtime/options/flags';
import type { Parameter } from '@contrails/runtime/options/parameter';
import type { Values } from '@contrails/runtime/options/query';
import { accepted } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import type { GivenFlightAnswer, GivenFrame } from './attribution/attribute-tracks.ts';
import { openCompute } from './compute.ts';
import { type AccfSettings, DEFAULT_ACCF } from './flights/accf-settings.ts';
import type { ComputeHooks } from './flights/compute.ts';
import type { BodySettings, Trajectories } from './flights/evaluate-bodies.ts';
import type { TrajectoryModel } from './flights/models.ts';
import type { GivenParameters } from './flights/parameter-table.ts';
import type { GpuSettings } from './gpu/grid-gpu.ts';
import type { NamedGrid } from './grid/for-programs.ts';
import type { BinaryModel } from './grid/models.ts';
import type { Comparison } from './mrv/compare.ts';
import type { ReportHooks } from './mrv/compute-report.ts';
import type { PackRequest } from './mrv/pack.ts';
import type { MrvSettings } from './mrv/settings.ts';
import type { Summary } from './mrv/summary.ts';
import type { SampleSettings, Verification } from './mrv/verify.ts';
import type { DescribeProblem } from './planning/answer.ts';
import type { PlanningServices } from './planning/compute.ts';
import type { PlanKind, PlanningQuery } from './planning/options.ts';
import type { StoredGrids } from './planning/prepare.ts';
import type { HumidityScalingChoice } from './weather/humidity-scaling.ts';

export interface EngineSettings {
  /**
   * Files of one source (`met/*.nc`, `gfs/*.grib2`, `gs://bucket/store.zarr`), sources (with all their settings, or opened), or
   * weather that opens when it is first needed. The engine closes all of them.
   */
  readonly weather: string | readonly (SourceSettings | MetSource)[] | LazyWeather;
  /** For weather in memory; 1 GiB unless given. Weather that opens itself has its own limit. */
  readonly memoryMib?: number;
  /** Threads that compute; one for each processor unless given. */
  readonly threads?: number | 'auto';
  /** What follows the contrails of grids; the CPU unless given. */
  readonly gpu?: GpuSettings;
  /** Heap of each thread; that of the runtime unless given. */
  readonly heapMib?: number;
  /** Humidity correction of calls that name none. */
  readonly humidityScaling?: HumidityScalingChoice;
  /** For the plans of one call; 256 MiB unless given. */
  readonly planMemoryMib?: number;
  /** Opens stored contrail grids, which `contrails=grid` of plans and routes reads. */
  readonly openGrids?: () => Promise<StoredGrids>;
  /** Describes a flight of a fleet that has no plan. */
  readonly describeProblem?: DescribeProblem;
  /** Scope, matching and defaults of reports; those that ship unless given. */
  readonly mrv?: MrvSettings;
  /** Where climate change functions hold; what ships unless given. */
  readonly accf?: AccfSettings;
  /** How messages call an option; its name in the HTTP API unless given. */
  readonly optionName?: OptionName;
}

export interface LazyWeather {
  open(): Promise<Met>;
  close(): Promise<void>;
}

/** Options of a call, by their names in the HTTP API. */
export type Options = Readonly<
  Record<string, string | number | boolean | readonly (string | number)[] | undefined>
>;

type Answer = Readonly<Record<string, unknown>>;

/** Computes one body. */
export type Plan = (body: unknown, hooks?: ComputeHooks) => Promise<Answer>;

/** What segments of successive frames are compared with. */
export interface AttributionRequest {
  readonly satellite: GridName;
  readonly frames: readonly GivenFrame[];
  readonly tracks: readonly FlightTrack[];
}

/** Wrong options are a `UsageError`, a body that cannot be used is a `ValidationError`. */
export interface Engine {
  /** Threads that compute: as many bodies are worth evaluating at once. */
  readonly threads: number;
  /** What `POST /v0/trajectory/{model}` returns for this body. */
  trajectory(model: TrajectoryModel, body: unknown, options?: Options, hooks?: ComputeHooks): Promise<Answer>;
  /** Contrails along one flight or a fleet. */
  cocip(body: unknown, options?: Options, hooks?: ComputeHooks): Promise<Answer>;
  /** Reads options once, for many bodies. */
  trajectories(model: TrajectoryModel, options?: Options, settings?: BodySettings): Promise<Trajectories>;
  /** What `POST /v1/planning/{kind}` returns for this body. */
  plan(kind: PlanKind, body: unknown, options?: Options, hooks?: ComputeHooks): Promise<Answer>;
  /** Reads options once, for many bodies; parameters that a body gives take precedence. */
  plans(kind: PlanKind, options?: Options, parameters?: GivenParameters): Promise<Plan>;
  /** What `POST /v1/planning/route` returns for bodies. */
  routes(options?: Options): Promise<Plan>;
  /** What `GET /v0/grid/{model}` returns; contrail grids are computed at any time and stored nowhere. */
  grid(model: BinaryModel | 'accf' | 'cocip', options: Options, hooks?: ComputeHooks): Promise<NamedGrid>;
  /** Which flights made the contrails of some frames. */
  attribute(request: AttributionRequest, signal?: AbortSignal): Promise<GivenFlightAnswer[]>;
  /** Computes a report on the flights of an operator and writes its folder. */
  report(duckdb: DuckDb, request: PackRequest, hooks?: ReportHooks): Promise<Summary>;
  /** Compares a report's folder with another tool's table; `map` has our column names by theirs. */
  compareReport(
    duckdb: DuckDb,
    folder: string,
    other: string,
    map: Readonly<Record<string, string>>,
    hooks?: ReportHooks,
  ): Promise<Comparison>;
  /** Checks the folder of a report and computes flights of it again. */
  verifyReport(
    duckdb: DuckDb,
    folder: string,
    sample: SampleSettings,
    hooks?: ReportHooks,
  ): Promise<Verification>;
  close(): Promise<void>;
}

const MEBIBYTE = 2 ** 20;
const DEFAULT_MEMORY_MIB = 1024;
const DEFAULT_PLAN_MEMORY_MIB = 256;

export async function openEngine(settings: EngineSettings): Promise<Engine> {
  const { threads = 'auto', heapMib, humidityScaling: scaling = 'none', optionName } = settings;
  const {
    planMemoryMib = DEFAULT_PLAN_MEMORY_MIB,
    describeProblem,
    openGrids,
    accf = DEFAULT_ACCF,
  } = settings;
  const met = await openWeather(settings);
  const gpu = settings.gpu && new (await import('./gpu/grid-gpu.ts')).GridGpu(settings.gpu);
  const compute = openCompute({
    threads,
    gpu,
    maxQueue: Number.MAX_SAFE_INTEGER,
    ...(heapMib === undefined ? {} : { heapMb: heapMib }),
  });
  const services = { met, compute };
  const read = <P extends Readonly<Record<string, Parameter<unknown>>>>(parameters: P, options: Options) =>
    readOptions(parameters, options, optionName);
  let grids: Promise<StoredGrids> | undefined;
  const planServices = async (contrails: string): Promise<PlanningServices> => {
    if (contrails === 'grid') grids ??= openGrids?.();
    return {
      ...services,
      memoryBytes: planMemoryMib * MEBIBYTE,
      ...(describeProblem && { describeProblem }),
      ...(grids && { grids: await grids }),
    };
  };
  const ofReports = async () => {
    const { DEFAULT_MRV } = await import('./mrv/settings.ts');
    return { ...DEFAULT_MRV, ...settings.mrv, scaling, accf };
  };

  const engine: Engine = {
    threads: compute.threads,
    async trajectory(model, body, options, hooks) {
      return (await (await engine.trajectories(model, options)).evaluate(body, hooks)).answer;
    },
    cocip: (body, options, hooks) => engine.trajectory('cocip', body, options, hooks),
    async trajectories(model, options = {}, bodies = {}) {
      const { defaultScaling, optionsOf, trajectoryParameters } = await import('./flights/options.ts');
      const { openTrajectories } = await import('./flights/evaluate-bodies.ts');
      const asked = read(trajectoryParameters(model), options);
      const ofModel = asUsage(() => optionsOf(asked, defaultScaling(model, scaling), accf));
      return openTrajectories(services, model, ofModel, bodies);
    },
    plan: async (kind, body, options, hooks) => (await engine.plans(kind, options))(body, hooks),
    async plans(kind, options = {}, parameters) {
      const { planningOptionsOf, planningParameters } = await import('./planning/options.ts');
      const { planningRequestOf, readPlanningBody } = await import('./planning/read-body.ts');
      const { computePlans } = await import('./planning/compute.ts');
      const asked = read(planningParameters[kind], options) as PlanningQuery;
      const { planning, options: ofModels } = asUsage(() => planningOptionsOf(kind, asked, scaling));
      return async (raw, hooks = {}) => {
        const body = accepted(finish(readPlanningBody(raw)));
        const given = parameters && { ...parameters, ...body.parameters };
        const request = planningRequestOf(
          given === undefined ? body : { ...body, parameters: given },
          planning,
          ofModels,
        );
        return computePlans(await planServices(planning.contrails), request, hooks);
      };
    },
    async routes(options = {}) {
      const { readRouteBody, routeOptionsOf, routeParameters } = await import('./routes/request.ts');
      const { computeRoute } = await import('./routes/compute.ts');
      const asked = read(routeParameters, options);
      const route = asUsage(() => routeOptionsOf(asked, scaling));
      return async (raw, hooks = {}) => {
        const body = accepted(readRouteBody(raw));
        return computeRoute(await planServices(route.contrails), { body, route }, hooks);
      };
    },
    async grid(model, options, hooks = {}) {
      const { computeAccfGrid, computeBinaryGrid, computeCocipGrid } = await import('./grid/for-programs.ts');
      if (model === 'accf')
        return computeAccfGrid(services, (parameters) => read(parameters, options), hooks);
      return model === 'cocip'
        ? computeCocipGrid(services, (parameters) => read(parameters, options), scaling, hooks)
        : computeBinaryGrid(services, model, (parameters) => read(parameters, options), scaling, hooks);
    },
    async attribute({ satellite, frames, tracks }, signal = new AbortController().signal) {
      const { attributeTracks } = await import('./attribution/attribute-tracks.ts');
      return attributeTracks({ met }, satellite, frames, tracks, signal);
    },
    async report(duckdb, request, hooks = {}) {
      const { writePack } = await import('./mrv/pack.ts');
      return writePack({ ...services, duckdb }, request, await ofReports(), hooks);
    },
    async compareReport(duckdb, folder, other, map, hooks = {}) {
      const { comparePack } = await import('./mrv/compare.ts');
      return comparePack({ ...services, duckdb }, folder, other, map, await ofReports(), hooks);
    },
    async verifyReport(duckdb, folder, sample, hooks = {}) {
      const { verifyPack } = await import('./mrv/verify.ts');
      return verifyPack({ ...services, duckdb }, folder, await ofReports(), sample, hooks);
    },
    async close() {
      await Promise.all([compute.close(), met.close()]);
      await gpu?.close();
    },
  };
  return engine;
}

async function openWeather({
  weather,
  threads,
  memoryMib = DEFAULT_MEMORY_MIB,
}: EngineSettings): Promise<LazyWeather> {
  if (typeof weather === 'object' && 'open' in weather) return weather;
  const sources: MetSource[] = await Promise.all(
    sourcesOf(weather).map((one) => ('read' in one ? one : openSource(one))),
  );
  const ofThreads = typeof threads === 'number' ? { threads } : {};
  const met = openMet({ sources, memoryBytes: memoryMib * MEBIBYTE, ...ofThreads });
  return { open: async () => met, close: () => met.close() };
}

/** The kinds of weather by the endings of their files. */
const KINDS: readonly [RegExp, SourceSettings['kind']][] = [
  [/\.zarr\/?$/i, 'zarr'],
  [/\.(grib2?|grb2?)$/i, 'grib'],
  [/\.(nc4?|netcdf|h5)$/i, 'netcdf'],
];

function sourcesOf(
  weather: string | readonly (SourceSettings | MetSource)[],
): readonly (SourceSettings | MetSource)[] {
  if (typeof weather !== 'string') return weather;
  const kind = KINDS.find(([pattern]) => pattern.test(weather))?.[1];
  if (kind === undefined) {
    throw new UsageError(
      `weather is ${weather}, whose ending names no format; give files that end in .nc, .grib2 or .zarr, or a list of sources with their kind`,
    );
  }
  return [
    {
      name: 'weather',
      kind,
      provider: 'unknown',
      dataset: 'unknown',
      product: 'unknown',
      paths: [weather],
      directory: '.',
    },
  ];
}

function readOptions<P extends Readonly<Record<string, Parameter<unknown>>>>(
  parameters: P,
  options: Options,
  optionName: OptionName = (name) => name,
): Values<P> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const unknown = given.find(([name]) => !Object.hasOwn(parameters, name))?.[0];
  if (unknown !== undefined) {
    throw new UsageError(
      `there is no option ${unknown}; the options are ${Object.keys(parameters).join(', ')}`,
    );
  }
  const written = given.map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(String) : String(value),
  ]);
  return readFlags(parameters, Object.fromEntries(written), optionName);
}
