/** Weather for computations: from the configured sources, through a cache of limited size. */
import type { Weather } from '@contrails/physics/cocip';
import { Arena } from './cache/arena.ts';
import { type AcquireOptions, type CacheStatistics, SlabCache, type SlabGroup } from './cache/slab-cache.ts';
import {
  isOutdated,
  nameInCache,
  type RadiationPlan,
  type SlabPlan,
  SlabPlanner,
} from './cache/slab-plan.ts';
import {
  createSlabReader,
  fieldOf,
  type LoadedSlab,
  type ReadStatistics,
  type SlabReader,
} from './cache/slab-reader.ts';
import { type Catalogue, type Choice, createCatalogue, type RadiationChoice } from './catalogue/catalogue.ts';
import { hasClimate, storedVariables, WEATHER_SETS } from './catalogue/needed-variables.ts';
import { MetError } from './errors.ts';
import { makeAxis } from './field/axis.ts';
import type { MetField } from './field/field.ts';
import type { ClimateSources } from './interpolate/climate-air.ts';
import type { HumidityMethod } from './interpolate/humidity-interpolation.ts';
import type { RadiationField } from './interpolate/radiation-sampler.ts';
import { WEATHER_VARIABLES, weatherOf } from './interpolate/weather.ts';
import { originOf, type WeatherOrigin } from './origin.ts';
import { fluxFactor, requireRadiation } from './radiation/radiation.ts';
import type { WeatherRequest } from './request.ts';
import type { MetSource, QuarantinedFile } from './source.ts';
import { weatherThreadBytes } from './threads/threads.ts';

export interface MetOptions {
  /** In the order of preference. */
  readonly sources: readonly MetSource[];
  /** Memory for cached weather [bytes]. */
  readonly memoryBytes: number;
  /** The limit of one read [bytes]; a request may wait for one that a job began. 256 MiB unless given. */
  readonly readBytes?: number;
  /** Threads that prepare what was read; as many as there are processors unless given. */
  readonly threads?: number;
  /** Called once for each variable and state of the data of a source whose values are doubtful. */
  readonly onWarning?: (source: string, message: string) => void;
}

/** Weather in use; it stays in memory until it is released. */
export interface OpenWeather {
  /** Not available from weather that was opened for `formation`. */
  readonly weather: Weather;
  /** Input of `weatherOf`; a thread that receives it makes its own `Weather`. */
  readonly levels: MetField;
  readonly radiation: RadiationField | undefined;
  /** Input of `memberHumidity`: fields with the humidity of the members that were asked for, in their order. */
  readonly members?: readonly MetField[];
  /** Input of `climateAirOf`, of weather that was opened for `accf` or `climate`. */
  readonly climate?: ClimateSources;
  readonly origin: WeatherOrigin;
  /** The part of the request that the weather covers. */
  readonly covered: WeatherRequest;
  release(): void;
}

export interface OpenOptions extends AcquireOptions {
  readonly humidityMethod?: HumidityMethod;
  /** What `catalogue.choose` returned for the request, where the caller has named its result by it: later runs are ignored. */
  readonly choice?: Choice;
}

export interface MetStatistics extends CacheStatistics, ReadStatistics {
  /** What weather takes of the memory of the process, with what is free for the next. */
  readonly residentBytes: number;
  /** Memory of the threads that read or compute weather. */
  readonly threadBytes: number;
  readonly quarantined: readonly (QuarantinedFile & { readonly source: string })[];
}

export interface Met {
  readonly catalogue: Catalogue;
  /** Chooses a source, reads what is not in memory yet and holds it. Open once per computation, never nested. */
  openWeather(request: WeatherRequest, options?: OpenOptions): Promise<OpenWeather>;
  statistics(): MetStatistics;
  close(): Promise<void>;
}

/** Files are replaced in turn when a run arrives; a source that changes more often is not settled yet. */
const OPEN_ATTEMPTS = 5;
const MIN_SCRATCH_BYTES = 16 * 2 ** 20;

export function openMet({ sources, memoryBytes, readBytes, threads, onWarning }: MetOptions): Met {
  const catalogue = createCatalogue(sources);
  const arena = new Arena(memoryBytes);
  const reader = createSlabReader(Math.max(Math.floor(memoryBytes / 8), MIN_SCRATCH_BYTES), threads);
  const cache = new SlabCache<LoadedSlab>(arena, readBytes);
  const planner = new SlabPlanner(memoryBytes, (key) => cache.has(key));
  const generations = new Map<string, string>();
  const reported = new Map<string, string>();

  const report = ({ description: { name, generation } }: Choice, warnings: ReadonlyMap<string, string>) => {
    for (const [variable, message] of warnings) {
      const key = `${name}|${variable}`;
      if (reported.get(key) === generation) continue;
      reported.set(key, generation);
      onWarning?.(name, message);
    }
  };

  const forgetOutdated = (choice: RadiationChoice): void => {
    const { generation } = choice.description;
    const key = nameInCache(choice.description);
    if (generations.get(key) !== generation) cache.forget((slab) => isOutdated(slab, choice));
    generations.set(key, generation);
  };

  const planFor = (choice: Choice, share: number): SlabPlan => {
    forgetOutdated(choice);
    if (choice.radiation !== undefined) forgetOutdated(choice.radiation);
    return planner.plan(choice, share);
  };

  const openChoice = async (
    choice: Choice,
    others: readonly Choice[],
    { humidityMethod, ...options }: OpenOptions,
  ): Promise<OpenWeather> => {
    const { name } = choice.description;
    const share = 1 / (1 + others.length);
    const plan = planFor(choice, share);
    const otherPlans = others.map((other) => planFor(other, share));
    const groups = groupsOf(plan, choice, reader);
    const otherGroups = others.flatMap((other, i) => groupsOf(otherPlans[i] as SlabPlan, other, reader));
    const { slabs, release } = await cache.acquire([...groups, ...otherGroups], options);
    try {
      const [levelSlabs = [], ...radiationSlabs] = slabs.slice(0, groups.length);
      const members = slabs
        .slice(groups.length)
        .map((ofMember, i) => fieldOf(name, WEATHER_SETS[(otherPlans[i] as SlabPlan).set], ofMember));
      const levels = fieldOf(name, WEATHER_SETS[plan.set], levelSlabs);
      const radiation = radiationOfPlans(plan.radiation, radiationSlabs);
      const { covered } = choice.coverage;
      const warnings = warningsOf(name, slabs.flat());
      const climate = hasClimate(covered.for) ? { climate: climateSources(choice) } : {};
      const origin = { ...originOf(choice, plan.radiation, [...warnings.values()]), ...climate };
      report(choice, warnings);
      let weather: Weather | undefined;
      return {
        // Made on demand: weather that was opened for formation alone has no wind, which models need.
        get weather() {
          weather ??= weatherOf(levels, radiation, humidityMethod);
          return weather;
        },
        ...{ levels, radiation, origin, covered, release, ...climate },
        ...(others.length === 0 ? {} : { members }),
      };
    } catch (error) {
      release();
      throw error;
    }
  };

  /** The same run with the weather of the members whose humidity is wanted. */
  const humidityChoices = (
    { humidityOfMembers: members = [], ...request }: WeatherRequest,
    { description, run: { referenceTime } }: Choice,
  ): Promise<Choice[]> => {
    const sameRun = { source: description.name, ...(referenceTime === undefined ? {} : { referenceTime }) };
    return Promise.all(
      members.map((member) => catalogue.choose({ ...request, ...sameRun, member, for: 'formation' })),
    );
  };

  return {
    catalogue,
    async openWeather(request, options = {}) {
      for (let attempt = 1; ; attempt++) {
        const choice = options.choice ?? (await catalogue.choose(request));
        try {
          return await openChoice(choice, await humidityChoices(request, choice), options);
        } catch (error) {
          if (!(error instanceof MetError) || error.kind !== 'changed') throw error;
          catalogue.forget(choice.source);
          if (options.choice !== undefined || attempt === OPEN_ATTEMPTS) throw error;
        }
      }
    },
    statistics: () => ({
      ...cache.statistics(),
      ...reader.statistics(),
      residentBytes: arena.reachedBytes + reader.statistics().scratchBytes,
      threadBytes: weatherThreadBytes(),
      quarantined: sources.flatMap(({ name, quarantined }) =>
        (quarantined?.() ?? []).map((file) => ({ ...file, source: name })),
      ),
    }),
    async close() {
      await Promise.all([reader.close(), ...sources.map((source) => source.close())]);
    },
  };
}

function groupsOf(plan: SlabPlan, choice: Choice, reader: SlabReader): SlabGroup<LoadedSlab>[] {
  const { set, window, levels } = plan;
  const groups: SlabGroup<LoadedSlab>[] = [
    {
      ...levels,
      read: (first, count, signal, memory) =>
        reader.levels(choice, set, window, levels.times.slice(first, first + count), signal, memory),
    },
  ];
  for (const radiation of plan.radiation) {
    const { keys, bytesEach } = radiation;
    groups.push({
      ...{ keys, bytesEach },
      read: (first, count, signal, memory) => reader.radiation(radiation, first, count, signal, memory),
    });
  }
  return groups;
}

function climateSources({ description }: Choice): ClimateSources {
  const [geopotential, vorticity] = storedVariables(description, 'climate').slice(WEATHER_VARIABLES.length);
  return {
    geopotential: geopotential === undefined ? 'standard_atmosphere' : 'given',
    potentialVorticity: vorticity === undefined ? 'computed' : 'given',
  };
}

/** The second goes on where the first ends. */
function radiationOfPlans(
  plans: readonly RadiationPlan[],
  slabs: readonly (readonly LoadedSlab[])[],
): RadiationField | undefined {
  const [first, later] = plans.map((plan, k) => radiationField(plan, slabs[k] ?? []));
  if (first === undefined || later === undefined) return first;
  return { ...first, later };
}

function radiationField({ choice, read }: RadiationPlan, slabs: readonly LoadedSlab[]): RadiationField {
  const { description } = choice;
  const { pair, variables } = requireRadiation(description);
  if (read.kind === 'stamps' && pair !== 'surface') {
    const field = fieldOf(description.name, variables, slabs);
    return { field, pair, fluxPerUnit: fluxFactor(description.radiation) };
  }
  const field = withWholeEnds(description.name, read, slabs);
  return { field, pair: 'albedo', fluxPerUnit: 1, ...(pair === 'surface' ? { isEstimated: true } : {}) };
}

/** Albedos are dated in the middle of intervals, and constant in the first and last half interval of a run. */
function withWholeEnds(name: string, read: RadiationPlan['read'], slabs: readonly LoadedSlab[]): MetField {
  const field = fieldOf(name, ['planetary_albedo', 'outgoing_longwave_radiation'], slabs);
  if (read.kind !== 'intervals') return field;
  const { first, intervals } = read;
  const [start, end] = [intervals[0]?.startMs, intervals.at(-1)?.endMs];
  const before = first === 0 && start !== undefined ? [start] : [];
  const after = first + slabs.length === intervals.length && end !== undefined ? [end] : [];
  const at = (times: readonly number[], index: number) =>
    times.map(() => field.slabs.at(index) as MetField['slabs'][number]);
  return {
    ...field,
    time: makeAxis([...before, ...field.time.knots, ...after]),
    slabs: [...at(before, 0), ...field.slabs, ...at(after, -1)],
  };
}

/** By variable: what is doubtful at one time is enough. */
function warningsOf(name: string, slabs: readonly LoadedSlab[]): Map<string, string> {
  const findings = slabs.flatMap((slab) => slab.findings);
  return new Map(
    findings.map(({ variable, message, remedy }) => [
      variable,
      `weather source ${name}: ${message}; ${remedy}`,
    ]),
  );
}
