/** Contrails of all cells of some flight levels at one time, for one aircraft. */

import {
  type Choice,
  generationOfChoice,
  type Met,
  type WeatherOrigin,
  type WeatherRequest,
} from '@contrails/met';
import { HOUR_MS, sharedFloat32, sharedFloat64 } from '@contrails/runtime';
import { type Compute, kernelAt } from '../compute.ts';
import type { GridGpu } from '../gpu/grid-gpu.ts';
import { type HumidityScalingChoice, scalingForLevels } from '../weather/humidity-scaling.ts';
import type { GridAircraft } from './aircraft.ts';
import { type CustomGrid, LEVEL_MARGIN_HPA, levelRange, MAX_AGE_HOURS } from './cocip-model.ts';
import { FLIGHT_LEVELS, type GridCells, pressureOf } from './layout.ts';
import type { EncodedLevel } from './level.kernel.ts';
import { contrailsOnGpus, gpuWorkOf } from './on-gpu.ts';
import type { RegionStatement } from './regions.ts';
import type { GridPlanes, TileInput, TileReport } from './tile-cells.ts';
import { tilesOf } from './tiles.ts';

const GRID_PRESSURES = FLIGHT_LEVELS.map(pressureOf);
const TOP_HPA = Math.min(...GRID_PRESSURES);
const BOTTOM_HPA = Math.max(...GRID_PRESSURES);

/** Between which levels the weather of a grid is read [hPa]. */
export const levelRangeOfGrid = (knots: ArrayLike<number>): readonly [top: number, bottom: number] =>
  levelRange(knots, TOP_HPA, BOTTOM_HPA);

const tileKernel = kernelAt<typeof import('./tile.kernel.ts').default>(
  new URL('./tile.kernel.ts', import.meta.url),
);
const levelKernel = kernelAt<typeof import('./level.kernel.ts').default>(
  new URL('./level.kernel.ts', import.meta.url),
);

export interface LevelsRequest {
  /** Name of the weather source; without it the one that suits best. */
  readonly source?: string;
  /** Start of the forecast to be used [ms since 1970]; without it what the sources have that is best. */
  readonly referenceTimeMs?: number;
  /** [ms since 1970] */
  readonly timeMs: number;
  readonly aircraft: GridAircraft;
  readonly cells: GridCells;
  readonly humidityScaling: HumidityScalingChoice;
  /** Whether weather of a part of the globe will do; contrails that leave it end there. */
  readonly partial?: boolean;
  /** What `catalogue.choose` returned for `contrailWeather` of this request; chosen again without. */
  readonly choice?: Choice;
  /** What differs from the forecast. */
  readonly custom?: CustomGrid;
}

type WeatherChoice = Pick<LevelsRequest, 'source' | 'referenceTimeMs' | 'timeMs' | 'partial' | 'custom'>;

/** The weather that contrails of all cells and levels of a time live in. */
export function contrailWeather(request: WeatherChoice): WeatherRequest {
  const { source, referenceTimeMs, timeMs, partial = false, custom } = request;
  return {
    ...(source === undefined ? {} : { source }),
    ...(referenceTimeMs === undefined ? {} : { referenceTime: referenceTimeMs }),
    for: 'contrails',
    // Never only the area of the cells: contrails drift.
    partial,
    time: [timeMs, timeMs],
    level: [TOP_HPA, BOTTOM_HPA],
    latitude: [-90, 90],
    longitude: [-180, 180],
    margin: { afterMs: (custom?.maxAgeHours ?? MAX_AGE_HOURS) * HOUR_MS, levelHpa: LEVEL_MARGIN_HPA },
  };
}

export interface ComputeRoom {
  readonly compute: Pick<Compute, 'parallel'> & { readonly gpu?: GridGpu | undefined };
  readonly met: Pick<Met, 'openWeather' | 'catalogue'>;
}

export interface WorkOptions {
  readonly signal?: AbortSignal | undefined;
  /** Share of the work that is done, 0–1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
  /** Milliseconds of thread time as they are spent. */
  readonly onComputeMs?: ((ms: number) => void) | undefined;
}

export interface ComputedLevels extends GridPlanes {
  readonly cells: GridCells;
  readonly origin: WeatherOrigin;
  /** Names the weather that was read: `generationOfChoice`. */
  readonly generation: string;
  /** When the weather ends [ms since 1970], and whether that is after the longest life. */
  readonly weatherEndMs: number;
  readonly hasWholeLives: boolean;
  readonly report: TileReport;
  /** The GPU or the GPUs that computed them; undefined for the CPU. */
  readonly device: string | undefined;
}

/** A cell has the same bits for any number of threads, tiles and requested levels. */
export async function computeLevels(
  { compute, met }: ComputeRoom,
  request: LevelsRequest,
  { signal, onProgress, onComputeMs }: WorkOptions = {},
): Promise<ComputedLevels> {
  const { timeMs, aircraft, cells } = request;
  const { flightLevels } = cells;
  const wanted = contrailWeather(request);
  const choice = request.choice ?? (await met.catalogue.choose(wanted));
  const weather = await met.openWeather(wanted, { choice, ...(signal && { signal }) });
  try {
    const { levels, radiation, origin } = weather;
    const planes = () =>
      flightLevels.map(() => sharedFloat32(cells.longitude.length * cells.latitude.length));
    const grids = { efPerM: planes(), ageHours: planes(), index: planes() };
    const tiles = tilesOf(cells.longitude.length, cells.latitude.length, flightLevels.length);
    const input: TileInput = {
      levels,
      radiation,
      levelRange: levelRangeOfGrid(levels.level.knots),
      scaling: scalingForLevels(
        request.custom?.scaling ?? { name: request.humidityScaling, options: {} },
        origin.levelType,
      ),
      custom: request.custom,
      aircraft: { type: aircraft.type, ...(aircraft.engineUid && { engineUid: aircraft.engineUid }) },
      timeMs,
      longitude: shared(cells.longitude),
      latitude: shared(cells.latitude),
      flightLevels,
      tiles,
      ...grids,
    };
    const generation = generationOfChoice(choice);
    const options = { signal, onProgress, onComputeMs };
    const { report, device } =
      (await onGpu(compute, input, generation, options)) ?? (await onCpu(compute, input, options));
    const weatherEndMs = levels.time.knots.at(-1) ?? Number.NaN;
    const hasWholeLives = weatherEndMs >= timeMs + (request.custom?.maxAgeHours ?? MAX_AGE_HOURS) * HOUR_MS;
    return {
      cells,
      ...grids,
      origin,
      generation,
      weatherEndMs,
      hasWholeLives,
      report,
      device,
    };
  } finally {
    weather.release();
  }
}

type Computed = Pick<ComputedLevels, 'report' | 'device'>;

async function onCpu(
  compute: ComputeRoom['compute'],
  input: TileInput,
  { signal, onProgress, onComputeMs }: WorkOptions,
): Promise<Computed> {
  const reports = await compute.parallel(tileKernel, input, input.tiles.length, {
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
    ...(onComputeMs && { onComputeMs }),
  });
  return { report: total(reports), device: undefined };
}

/** Undefined where there is no GPU, none can compute this, or all failed. */
async function onGpu(
  { gpu }: ComputeRoom['compute'],
  input: TileInput,
  weatherName: string,
  options: WorkOptions,
): Promise<Computed | undefined> {
  if (gpu === undefined || (await gpu.devices()).length === 0) return undefined;
  const work = gpuWorkOf(input, weatherName);
  return work && contrailsOnGpus(gpu, input, work, options);
}

/** The same levels encoded for products, with index and regions where the aircraft represents a class. */
export function encodeLevels(
  { compute }: Pick<ComputeRoom, 'compute'>,
  { cells, efPerM, ageHours, index }: ComputedLevels,
  regions: RegionStatement | undefined,
  { signal, onProgress }: WorkOptions = {},
): Promise<EncodedLevel[]> {
  return compute.parallel(
    levelKernel,
    {
      longitude: shared(cells.longitude),
      latitude: shared(cells.latitude),
      flightLevels: cells.flightLevels,
      efPerM,
      ageHours,
      index,
      ...(regions && { regions }),
    },
    cells.flightLevels.length,
    { ...(signal && { signal }), ...(onProgress && { onProgress }) },
  );
}

function shared(values: Float64Array): Float64Array<SharedArrayBuffer> {
  const copy = sharedFloat64(values.length);
  copy.set(values);
  return copy;
}

const added = (sums: readonly number[], more: readonly number[]): number[] =>
  more.map((count, k) => count + (sums[k] ?? 0));

function total(reports: readonly TileReport[]): TileReport {
  return reports.reduce(
    (sum, tile) => ({
      contrails: sum.contrails + tile.contrails,
      plumeSteps: sum.plumeSteps + tile.plumeSteps,
      cellsOutside: added(sum.cellsOutside, tile.cellsOutside),
      cellsWithoutForcing: added(sum.cellsWithoutForcing, tile.cellsWithoutForcing),
      mostlyWithoutForcing: sum.mostlyWithoutForcing + tile.mostlyWithoutForcing,
    }),
    {
      contrails: 0,
      plumeSteps: 0,
      cellsOutside: [],
      cellsWithoutForcing: [],
      mostlyWithoutForcing: 0,
    },
  );
}
