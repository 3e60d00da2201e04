/** Contrail models, plans and their weather in one object, for programs without a server. */
import { type Met, type MetSource, openMet, openSource, type SourceSettings } from '@contrails/met';
import { UsageError } from '@contrails/runtime';
import type { Parameter } from '@contrails/runtime/options/parameter';
import { query, readerOf, type Values } from '@contrails/runtime/options/query';
import { errorsOf, Rejected } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import { openCompute } from './compute.ts';
import { type ComputeHooks, computeTrajectories } from './flights/compute.ts';
import type { TrajectoryModel } from './flights/models.ts';
import { needsOf } from './flights/needs.ts';
import { optionsOf, trajectoryParameters } from './flights/options.ts';
import { prepareRequest } from './flights/prepare-request.ts';
import { readBody } from './flights/read-body.ts';
import { withParameters } from './flights/read-parameters.ts';
import { computePlans } from './planning/compute.ts';
import {
  type PlanKind,
  type PlanningQuery,
  planningOptionsOf,
  planningParameters,
} from './planning/options.ts';
import { planningRequestOf, readPlanningBody } from './planning/read-body.ts';
import type { HumidityScalingChoice } from './weather/humidity-scaling.ts';

export interface EngineSettings {
  /** Files of one source (`met/*.nc`, `gfs/*.grib2`, `gs://bucket/store.zarr`), or sources: with all their settings, or opened, which the engine closes. */
  readonly weather: string | readonly (SourceSettings | MetSource)[];
  /** For weather in memory; 1 GiB unless given. */
  readonly memoryMib?: number;
  /** Threads that compute; one for each processor unless given. */
  readonly threads?: number;
  /** Humidity correction of calls that name none. */
  readonly humidityScaling?: HumidityScalingChoice;
}

/** Options of a call, by their names in the HTTP API. */
export type Options = Readonly<Record<string, string | number | boolean | readonly (string | number)[]>>;

type Answer = Readonly<Record<string, unknown>>;

export interface Engine {
  /** What `POST /v0/trajectory/{model}` returns for this body. */
  trajectory(model: TrajectoryModel, body: unknown, options?: Options, hooks?: ComputeHooks): Promise<Answer>;
  /** Contrails along one flight or a fleet. */
  cocip(body: unknown, options?: Options, hooks?: ComputeHooks): Promise<Answer>;
  /** What `POST /v1/planning/{kind}` returns for this body. */
  plan(kind: PlanKind, body: unknown, options?: Options, hooks?: ComputeHooks): Promise<Answer>;
  close(): Promise<void>;
}

const MEBIBYTE = 2 ** 20;
const DEFAULT_MEMORY_MIB = 1024;
const PLANS_BYTES = 256 * MEBIBYTE;

export async function openEngine(settings: EngineSettings): Promise<Engine> {
  const { memoryMib = DEFAULT_MEMORY_MIB, threads, humidityScaling: scaling = 'none' } = settings;
  const ofThreads = threads === undefined ? {} : { threads };
  const sources: MetSource[] = await Promise.all(
    sourcesOf(settings.weather).map((one) => ('read' in one ? one : openSource(one))),
  );
  const weather: Met = openMet({ sources, memoryBytes: memoryMib * MEBIBYTE, ...ofThreads });
  const compute = openCompute({ threads: threads ?? 'auto', maxQueue: Number.MAX_SAFE_INTEGER });
  const met = { open: async () => weather };

  const trajectory: Engine['trajectory'] = async (model, body, options = {}, hooks = {}) => {
    const asked = optionsOf(readOptions(trajectoryParameters(model), options), scaling);
    const read = accepted(finish(readBody(body, model, needsOf(model, asked.includes))));
    const request = await prepareRequest(model, read.fleet, withParameters(asked, read.parameters), compute);
    return (await computeTrajectories({ met, compute }, request, hooks)).answer;
  };
  return {
    trajectory,
    cocip: (body, options, hooks) => trajectory('cocip', body, options, hooks),
    async plan(kind, body, options = {}, hooks = {}) {
      const asked = readOptions(planningParameters[kind], options) as PlanningQuery;
      const { planning, options: ofModels } = planningOptionsOf(kind, asked, scaling);
      const request = planningRequestOf(accepted(finish(readPlanningBody(body))), planning, ofModels);
      return computePlans({ met, compute, memoryBytes: PLANS_BYTES }, request, hooks);
    },
    async close() {
      await Promise.all([compute.close(), weather.close()]);
    },
  };
}

/** The kinds of weather by the endings of their files. */
const KINDS: readonly [RegExp, SourceSettings['kind']][] = [
  [/\.zarr\/?$/i, 'zarr'],
  [/\.(grib2?|grb2?)$/i, 'grib'],
  [/\.(nc4?|netcdf|h5)$/i, 'netcdf'],
];

function sourcesOf(weather: EngineSettings['weather']): readonly (SourceSettings | MetSource)[] {
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
): Values<P> {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(parameters, name));
  if (unknown !== undefined) {
    throw new UsageError(
      `there is no option ${unknown}; the options are ${Object.keys(parameters).join(', ')}`,
    );
  }
  const written = Object.entries(options).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(String) : String(value),
  ]);
  const read = readerOf(query(parameters));
  return accepted(read?.(Object.fromEntries(written))) as Values<P>;
}

/** What was read, or an error that names everything that is wrong with it. */
function accepted<T>(read: T): Exclude<T, Rejected> {
  if (read instanceof Rejected) throw errorsOf(read);
  return read as Exclude<T, Rejected>;
}
