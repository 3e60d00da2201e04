import { HOUR_MS } from '@contrails/runtime';
import { allocateField, type FieldAxes, type MetField, offsetOf } from '../../src/field/field.ts';
import type { MetSource, MetWindow, ReadOptions, SourceDescription } from '../../src/source.ts';
import { findVariable } from '../../src/variables.ts';
import { gridAxes, windowAxes } from '../../src/windows/window-axes.ts';

export const DAY = Date.UTC(2024, 0, 15);

export const hours = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, hour) => DAY + (from + hour) * HOUR_MS);

const EVERYTHING = [
  'air_temperature',
  'specific_humidity',
  'eastward_wind',
  'northward_wind',
  'lagrangian_tendency_of_air_pressure',
  'specific_cloud_ice_water_content',
  'geopotential',
  'top_net_solar_radiation',
  'top_net_thermal_radiation',
];

const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step);

/** A source whose values are made by a formula, with a record of what was read of it. */
export interface MadeSource extends MetSource {
  readonly windows: MetWindow[];
  description: SourceDescription;
  /** Called before each read; may wait or throw. */
  beforeRead: (window: MetWindow, signal: AbortSignal | undefined) => Promise<void>;
}

export function madeSource(changes: Partial<SourceDescription> = {}): MadeSource {
  const description: SourceDescription = {
    name: 'made',
    kind: 'netcdf',
    provider: 'ECMWF',
    dataset: 'ERA5',
    product: 'reanalysis',
    type: 'reanalysis',
    generation: 'one',
    variables: EVERYTHING,
    levels: [50, 100, 200, 250, 300, 400, 500, 700, 850],
    latitude: range(-90, 90, 15),
    longitude: range(-180, 165, 15),
    runs: [{ times: hours(0, 24) }],
    incomplete: [],
    radiation: { kind: 'past-hours', hours: 1, unit: 'J m-2' },
    levelType: 'pressure',
    ...changes,
  };
  const source: MadeSource = {
    name: description.name,
    description,
    windows: [],
    beforeRead: async () => {},
    describe: async () => source.description,
    async read(window, { signal, allocate = allocateField } = {}) {
      source.windows.push(window);
      await source.beforeRead(window, signal);
      signal?.throwIfAborted();
      return fieldFor(source.description, window, allocate);
    },
    close: async () => {},
  };
  return source;
}

async function fieldFor(
  description: SourceDescription,
  window: MetWindow,
  allocate: NonNullable<ReadOptions['allocate']>,
): Promise<MetField> {
  const { longitude, latitude, runs, levels } = description;
  const run = runs.find(({ referenceTime }) => referenceTime === window.referenceTime);
  const onLevels = findVariable(window.variables[0])?.onLevels;
  const grid = gridAxes({ longitude, latitude, level: onLevels ? levels : [], time: run?.times ?? [] });
  return fill(await allocate(window.variables, windowAxes(grid, window)), window.referenceTime ?? 0);
}

function fill(field: MetField, referenceTime: number): MetField {
  field.slabs.forEach((slab, l) => {
    field.latitude.knots.forEach((latitude, j) => {
      field.longitude.knots.forEach((longitude, i) => {
        field.level.knots.forEach((level, k) => {
          field.variables.forEach((name, v) => {
            const at = { longitude, latitude, level, time: field.time.knots[l] as number };
            slab[offsetOf(field, i, j, k, v)] = valueOfPoint(name, at, referenceTime);
          });
        });
      });
    });
  });
  return field;
}

/** A number that tells the variable, the place and the time apart; linear in each, so interpolation keeps it. */
export function valueOfPoint(
  name: string,
  { longitude, latitude, level, time }: Record<keyof FieldAxes, number>,
  referenceTime = 0,
): number {
  const turned = longitude >= 180 ? longitude - 360 : longitude;
  const hour = (time - DAY) / HOUR_MS;
  const run = referenceTime === 0 ? 0 : (referenceTime - DAY) / HOUR_MS + 100;
  switch (name) {
    case 'air_temperature':
      return 200 + level / 20 + latitude / 90 + turned / 180 + hour / 100;
    case 'specific_humidity':
      return 1e-5 + level * 1e-7;
    case 'eastward_wind':
      return run;
    case 'specific_cloud_ice_water_content':
      return 1e-6;
    case 'geopotential':
      return 9.80665 * 7000 * Math.log(1013 / level);
    case 'top_net_solar_radiation':
      return 3600 * (hour + 100);
    case 'top_net_thermal_radiation':
      return -3600 * 200;
    default:
      return EVERYTHING.indexOf(name);
  }
}
