/** Contrail costs along the corridor of a route, hour by hour: of stored grids, or computed on coarse cells. */
import type { Met } from '@contrails/met';
import { type Lattice, nodePosition } from '@contrails/physics/routing';
import { HOUR_MS, sharedFloat32 } from '@contrails/runtime';
import { ValidationError } from '@contrails/runtime/errors';
import type { Compute } from '../compute.ts';
import type { TrajectoryOptions } from '../flights/options.ts';
import { COCIP_AIRCRAFT_TYPES, type CocipAircraftType } from '../grid/aircraft.ts';
import { computeLevels } from '../grid/compute-levels.ts';
import { type BoundingBox, FLIGHT_LEVELS, gridCells } from '../grid/layout.ts';
import { NO_TREATMENT, treatPlane } from '../grid/treatment.ts';
import type { StoredGrids } from '../planning/prepare.ts';
import type { ContrailHour } from './search.ts';

export interface ContrailServices {
  readonly met: Met;
  readonly compute: Compute;
  readonly grids: StoredGrids | undefined;
}

export interface ContrailRequest {
  readonly source: 'grid' | 'compute';
  readonly aircraftType: string;
  readonly engineUid: string | undefined;
  readonly lattice: Lattice;
  readonly flightLevels: readonly number[];
  readonly departureMs: number;
  /** Slowest and fastest over ground [m s⁻¹]. */
  readonly groundSpeeds: readonly [number, number];
  readonly options: TrajectoryOptions;
  readonly neighbourhoodKm: number;
  readonly neighbourhood: 'max' | 'mean';
}

const CELLS_PER_DEGREE = 1;
const MARGIN_DEG = 2;

/** Refuses levels that contrail grids do not have. */
export function requireGridLevels(flightLevels: readonly number[]): void {
  const other = flightLevels.find((level) => !FLIGHT_LEVELS.includes(level));
  if (other === undefined) return;
  const msg = `flight_levels ${other} has no contrail grid; choose from ${FLIGHT_LEVELS[0]}, ${FLIGHT_LEVELS[1]}, … ${FLIGHT_LEVELS.at(-1)}, or contrails=none`;
  throw new ValidationError([{ loc: ['query', 'flight_levels'], msg, type: 'value_error' }]);
}

export async function contrailHours(
  services: ContrailServices,
  request: ContrailRequest,
  signal: AbortSignal | undefined,
): Promise<ContrailHour[]> {
  const hours: ContrailHour[] = [];
  for (const timeMs of hoursOf(request)) {
    signal?.throwIfAborted();
    const hour =
      request.source === 'grid'
        ? await storedHour(services, request, timeMs)
        : await computedHour(services, request, timeMs, signal);
    hours.push(request.neighbourhoodKm > 0 ? withNeighbourhood(hour, request) : hour);
  }
  return hours;
}

function withNeighbourhood(
  hour: ContrailHour,
  { neighbourhoodKm, neighbourhood }: ContrailRequest,
): ContrailHour {
  const { west, south, columns, rows, cellsPerDegree, planes } = hour;
  const axis = (first: number, length: number) =>
    Float64Array.from({ length }, (_, i) => first + i / cellsPerDegree);
  const axes = { longitude: axis(west, columns), latitude: axis(south, rows) };
  const treatment = { ...NO_TREATMENT, neighbourhoodKm, neighbourhood };
  return {
    ...hour,
    planes: planes.map((plane) => sharedPlane(treatPlane(Float32Array.from(plane), axes, treatment))),
  };
}

function sharedPlane(values: Float32Array): Float32Array<SharedArrayBuffer> {
  const copy = sharedFloat32(values.length);
  copy.set(values);
  return copy;
}

/** Whole hours around the flight [ms since 1970]. */
function hoursOf({ lattice, departureMs, groundSpeeds: [slowest] }: ContrailRequest): number[] {
  const arrivalMs = departureMs + (1000 * lattice.lengthM) / slowest;
  const first = Math.floor(departureMs / HOUR_MS);
  return Array.from(
    { length: Math.ceil(arrivalMs / HOUR_MS) - first + 1 },
    (_, hour) => (first + hour) * HOUR_MS,
  );
}

async function storedHour(
  { grids }: ContrailServices,
  { aircraftType, flightLevels }: ContrailRequest,
  timeMs: number,
): Promise<ContrailHour> {
  if (grids === undefined) throw new TypeError('contrails: grid needs stored grids');
  grids.requireType(aircraftType, 'send contrails=compute or contrails=none');
  const planes = await grids.planes(aircraftType, timeMs / HOUR_MS, flightLevels);
  const cellsPerDegree = planes[0]?.cellsPerDegree ?? Number.NaN;
  return {
    ...{ timeMs, west: -180, south: -90, cellsPerDegree },
    ...{ columns: 360 * cellsPerDegree, rows: 180 * cellsPerDegree + 1 },
    planes: planes.map(({ values }) => values),
  };
}

async function computedHour(
  { met, compute }: ContrailServices,
  request: ContrailRequest,
  timeMs: number,
  signal: AbortSignal | undefined,
): Promise<ContrailHour> {
  const { flightLevels, options, engineUid } = request;
  const cells = gridCells(boxAt(request, timeMs), flightLevels, CELLS_PER_DEGREE);
  const { efPerM } = await computeLevels(
    { met, compute },
    {
      ...(options.metSource === undefined ? {} : { source: options.metSource }),
      ...{ timeMs, cells, partial: true, humidityScaling: options.scaling.name as never },
      aircraft: { type: gridType(request.aircraftType), ...(engineUid === undefined ? {} : { engineUid }) },
      custom: { scaling: options.scaling, maxAgeHours: options.maxAgeHours },
    },
    signal === undefined ? {} : { signal },
  );
  return {
    ...{ timeMs, west: cells.longitude[0] as number, south: cells.latitude[0] as number },
    ...{ columns: cells.longitude.length, rows: cells.latitude.length, cellsPerDegree: CELLS_PER_DEGREE },
    planes: efPerM,
  };
}

/** Contrail grids know the A350 by its family. */
function gridType(aircraftType: string): CocipAircraftType {
  const name = aircraftType === 'A359' ? 'A350' : aircraftType;
  return (COCIP_AIRCRAFT_TYPES.find((type) => type === name) ?? name) as CocipAircraftType;
}

/** The part of the corridor that may be flown within an hour of a time. */
function boxAt(
  { lattice, departureMs, groundSpeeds: [slowest, fastest] }: ContrailRequest,
  timeMs: number,
): BoundingBox {
  const stageOf = (offsetMs: number, speed: number) =>
    Math.min(Math.max(((offsetMs / 1000) * speed * lattice.stages) / lattice.lengthM, 0), lattice.stages);
  const first = Math.floor(stageOf(timeMs - HOUR_MS - departureMs, slowest));
  const last = Math.ceil(stageOf(timeMs + HOUR_MS - departureMs, fastest));
  const [lon0] = nodePosition(lattice, first, 0);
  let [west, east, south, north] = [0, 0, 90, -90];
  for (let stage = first; stage <= last; stage++) {
    for (const offset of [lattice.low[stage] as number, 0, lattice.high[stage] as number]) {
      const [lon, lat] = nodePosition(lattice, stage, offset);
      const turned = lon - lon0 - 360 * Math.round((lon - lon0) / 360);
      [west, east] = [Math.min(west, turned), Math.max(east, turned)];
      [south, north] = [Math.min(south, lat), Math.max(north, lat)];
    }
  }
  const wrap = (lon: number) => lon - 360 * Math.round(lon / 360);
  // A corridor over a pole sees all longitudes.
  const isWide = east - west > 300 || Math.max(north, -south) > 85;
  const [minLon, maxLon] = isWide
    ? [-180, 180]
    : [wrap(lon0 + west - MARGIN_DEG), wrap(lon0 + east + MARGIN_DEG)];
  return {
    ...{ minLon, maxLon, crossesAntimeridian: minLon > maxLon },
    minLat: Math.max(-90, south - MARGIN_DEG),
    maxLat: Math.min(90, north + MARGIN_DEG),
  };
}
