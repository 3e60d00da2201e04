/** What the layers of the map are made of: requests, a cache of limited size, and what is fetched ahead. */
import type { FeatureCollection } from '@contrails/client';
import { ByteCache } from '../grid/byte-cache.ts';
import { decodeGrids } from '../grid/decoder.ts';
import { type Grid, gridBytes } from '../grid/grid.ts';
import { service } from '../service.ts';
import { type ColorScale, FORCING_COLORS, INDEX_COLORS } from '../stage/color-scale.ts';
import { type Cell, hourText, type MapState, neighbours } from './map-state.ts';
import type { TimelineHour } from './timeline-hours.ts';

const MEBIBYTE = 2 ** 20;

type Grids = Readonly<Record<string, Grid>>;

const grids = new ByteCache<Grids>(48 * MEBIBYTE, (held) =>
  Object.values(held).reduce((sum, grid) => sum + gridBytes(grid), 0),
);
/** Polygons as objects take several times the bytes of their text. */
const polygons = new ByteCache<FeatureCollection>(
  32 * MEBIBYTE,
  ({ features }) => 40 * JSON.stringify(features).length,
);

export interface Field {
  readonly grid: Grid;
  readonly colors: ColorScale;
}

/** The contrail field of a state; undefined when its layer has none. */
export async function contrailField(state: MapState, cell: Cell): Promise<Field | undefined> {
  const { layer, aircraftClass, aircraftType } = state;
  const query = { time: hourText(cell.timeMs), flight_level: cell.flightLevel };
  if (layer === 'index') {
    const held = await grids.obtain(`index ${aircraftClass} ${cellKey(cell)}`, async () => {
      const file = await service.forecast.grid({ ...query, aircraft_class: aircraftClass });
      return decodeGrids(await file.arrayBuffer(), { contrails: INDEX_COLORS.scale });
    });
    return fieldOf(held, 'contrails', INDEX_COLORS);
  }
  if (layer !== 'ef') return undefined;
  const held = await grids.obtain(`ef ${aircraftType} ${cellKey(cell)}`, async () => {
    const file = await service.grid.cocip(
      {
        time: query.time,
        flight_level: [cell.flightLevel],
        aircraft_type: aircraftType,
      },
      { background: false },
    );
    return decodeGrids(await file.arrayBuffer(), { ef_per_m: FORCING_COLORS.scale });
  });
  return fieldOf(held, 'ef_per_m', FORCING_COLORS);
}

/** Polygons of sac, issr or pcr; undefined when the layer is another. */
export function binaryRegions(
  { layer, buffer }: MapState,
  cell: Cell,
): Promise<FeatureCollection> | undefined {
  if (layer !== 'sac' && layer !== 'issr' && layer !== 'pcr') return undefined;
  return polygons.obtain(`${layer} ${buffer} ${cellKey(cell)}`, () =>
    service.grid[layer]({
      time: hourText(cell.timeMs),
      flight_level: [cell.flightLevel],
      format: 'geojson',
      simplify: 4,
      ...(buffer > 0 && { buffer }),
    }),
  );
}

/** Regions that reach the threshold of the state; undefined when it has none. */
export function thresholdRegions(
  { aircraftClass, threshold, buffer }: MapState,
  cell: Cell,
): Promise<FeatureCollection> | undefined {
  if (threshold === 0) return undefined;
  return polygons.obtain(`regions ${aircraftClass} ${threshold} ${buffer} ${cellKey(cell)}`, () =>
    service.forecast.regions({
      time: hourText(cell.timeMs),
      flight_level: cell.flightLevel,
      aircraft_class: aircraftClass,
      threshold: threshold as 1 | 2 | 3 | 4,
      ...(buffer > 0 && { buffer }),
    }),
  );
}

export interface WeatherFields {
  readonly temperature: Grid;
  readonly humidity: Grid;
  readonly eastward: Grid;
  readonly northward: Grid;
}

export async function weatherFields(cell: Cell): Promise<WeatherFields> {
  const held = await grids.obtain(`weather ${cellKey(cell)}`, async () => {
    const file = await service.grid.weather({
      time: hourText(cell.timeMs),
      flight_level: [cell.flightLevel],
    });
    return decodeGrids(await file.arrayBuffer(), {
      air_temperature: null,
      rhi: null,
      eastward_wind: null,
      northward_wind: null,
    });
  });
  return {
    temperature: gridOf(held, 'air_temperature'),
    humidity: gridOf(held, 'rhi'),
    eastward: gridOf(held, 'eastward_wind'),
    northward: gridOf(held, 'northward_wind'),
  };
}

let ahead = new AbortController();
let left: Cell | undefined;

/**
 * Fetches what a step to a neighbouring level or hour shows, in turn and until the next call: at once in the
 * direction of the last step, and in the others when no step follows.
 */
export async function fetchNeighbours(
  state: MapState,
  cell: Cell,
  hours: readonly TimelineHour[],
): Promise<void> {
  ahead.abort();
  ahead = new AbortController();
  const { signal } = ahead;
  const before = left;
  left = cell;
  const [first, ...others] = neighbours(
    cell,
    hours.map(({ timeMs }) => timeMs),
    before,
  );
  await drawn();
  if (first !== undefined && !signal.aborted) await fetchCell(state, first, hours);
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  for (const next of others) {
    if (signal.aborted) return;
    await fetchCell(state, next, hours);
  }
}

/** Idle time before prefetching all neighbours. */
const REST_MS = 500;

async function fetchCell(state: MapState, cell: Cell, hours: readonly TimelineHour[]): Promise<void> {
  const hour = hours.find(({ timeMs }) => timeMs === cell.timeMs);
  const isServed = hour?.levels.includes(cell.flightLevel) ?? false;
  const wanted = [
    isServed ? contrailField(state, cell) : undefined,
    binaryRegions(state, cell),
    isServed ? thresholdRegions(state, cell) : undefined,
    state.wind || state.weather !== 'none' ? weatherFields(cell) : undefined,
  ];
  await Promise.allSettled(wanted);
}

/** Two frames later: what is fetched ahead must not delay the drawing of what was asked for. */
function drawn(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}

/** After a pause of the service its products may be others. */
export function forgetGrids(): void {
  grids.forget();
  polygons.forget();
}

function cellKey({ timeMs, flightLevel }: Cell): string {
  return `${timeMs} ${flightLevel}`;
}

function fieldOf(held: Grids, name: string, colors: ColorScale): Field {
  return { grid: gridOf(held, name), colors };
}

function gridOf(held: Grids, name: string): Grid {
  const grid = held[name];
  if (grid === undefined) throw new Error(`the answer has no ${name}`);
  return grid;
}
