/** The weather of a region in which contrails live, on the grid of its source: for programs that follow contrails by themselves. */
import { encodeNetcdf, type NetcdfVariable } from '@contrails/formats';
import {
  type Choice,
  type Met,
  type MetField,
  type OpenWeather,
  type RadiationField,
  WEATHER_VARIABLES,
  type WeatherRequest,
} from '@contrails/met';
import { CONTRAIL_WEATHER_FIELDS, type Field, RADIATION_FIELDS } from '@contrails/physics/fields';
import { HOUR_MS } from '@contrails/runtime';
import { ValidationError } from '@contrails/runtime/errors';
import { type Compute, kernelAt } from '../compute.ts';
import { sourceAttributes } from '../weather/source-attributes.ts';
import { LEVEL_MARGIN_HPA } from './cocip-model.ts';
import type { GridBytes, GridOptions } from './compute-grid.ts';
import { contrailWeather, levelRangeOfGrid } from './compute-levels.ts';
import type { FieldPart } from './contrail-weather.kernel.ts';
import { ascending } from './file.ts';
import type { BoundingBox } from './layout.ts';

/** Numbers of an answer: 64 MiB before they are packed. */
const MAX_VALUES = 2 ** 24;

export interface ContrailWeatherRequest {
  /** When contrails form [ms since 1970], a whole second. */
  readonly timeMs: number;
  /** For which they are followed. */
  readonly hours: number;
  readonly box: BoundingBox;
  readonly source: string | undefined;
}

const kernel = kernelAt<typeof import('./contrail-weather.kernel.ts').default>(
  new URL('./contrail-weather.kernel.ts', import.meta.url),
);

interface ChosenWeather {
  readonly wanted: WeatherRequest;
  readonly choice: Choice;
}

/** The run that a contrail grid of the time is computed from, and the part of it that the region needs. */
export async function chooseContrailWeather(
  { catalogue }: Pick<Met, 'catalogue'>,
  { timeMs, hours, box, source }: ContrailWeatherRequest,
): Promise<ChosenWeather> {
  const globe: WeatherRequest = {
    ...contrailWeather({ ...(source === undefined ? {} : { source }), timeMs, partial: true }),
    margin: { afterMs: hours * HOUR_MS, levelHpa: LEVEL_MARGIN_HPA },
  };
  const { description, run } = await catalogue.choose(globe);
  const wanted: WeatherRequest = {
    ...globe,
    source: description.name,
    ...(run.referenceTime === undefined ? {} : { referenceTime: run.referenceTime }),
    latitude: [box.minLat, box.maxLat],
    // Fields of a region across the antimeridian have a gap between its ends.
    longitude: box.crossesAntimeridian ? [-180, 180] : [box.minLon, box.maxLon],
  };
  const choice = await catalogue.choose(wanted);
  refuseLarge(choice, box);
  return { wanted, choice };
}

/** Before anything is read. */
function refuseLarge({ description, coverage }: Choice, box: BoundingBox): void {
  const { levels, latitude, longitude } = description;
  const width = box.maxLon - box.minLon + (box.crossesAntimeridian ? 360 : 0);
  const [top, bottom] = levelRangeOfGrid(levels);
  const values =
    WEATHER_VARIABLES.length *
    coverage.times.length *
    levels.filter((level) => level >= top && level <= bottom).length *
    enclosing(latitude, box.minLat, box.maxLat).length *
    Math.min(longitude.length + 1, Math.ceil((width / 360) * longitude.length) + 2);
  if (values <= MAX_VALUES) return;
  const millions = (count: number) => (count / 1e6).toFixed(1);
  throw new ValidationError([
    {
      loc: ['query', 'bbox'],
      msg: `bbox has ${millions(values)} million values of ${description.name} in ${coverage.times.length} times; choose a smaller box or fewer hours, with ${millions(MAX_VALUES)} million at most`,
      type: 'range',
    },
  ]);
}

/** A netCDF file of the weather on levels, and of radiation on its own times. */
export async function readContrailWeather(
  compute: Pick<Compute, 'parallel'>,
  met: Met,
  { box }: ContrailWeatherRequest,
  { wanted, choice }: ChosenWeather,
  options: GridOptions,
): Promise<GridBytes> {
  const weather = await met.openWeather(wanted, { signal: options.signal, choice });
  try {
    const parts = partsOf(weather, box);
    const slabs = parts.flatMap(({ field }, part) => field.slabs.map((_, time) => ({ part, time })));
    const packed = await compute.parallel(kernel, { parts, slabs }, slabs.length, options);
    const { origin, radiation } = weather;
    const chunks = await encodeNetcdf({
      ...joined(parts.map((part, k) => fileOf(part, k, packed, slabs))),
      attributes: {
        Conventions: 'CF-1.9',
        name: 'contrail_weather',
        description: 'Weather that contrails live in, on the grid of its source',
        ...sourceAttributes(origin),
        met_source_level_type: origin.levelType,
        met_source_synthetic: String(origin.kind === 'synthetic'),
        ...(radiation === undefined ? {} : { radiation_pair: radiation.pair }),
      },
    });
    return { chunks, warnings: origin.warnings };
  } finally {
    weather.release();
  }
}

/** Of the weather on levels and of each radiation after the other. */
function partsOf({ levels, radiation }: OpenWeather, box: BoundingBox): FieldPart[] {
  const [top, bottom] = levelRangeOfGrid(levels.level.knots);
  const within = [...levels.level.knots.keys()].filter((k) => {
    const level = levels.level.knots[k] as number;
    return level >= top && level <= bottom;
  });
  const part = (field: MetField, ofLevels: readonly number[], perUnit: number): FieldPart => ({
    field,
    columns: columnsOf(field.longitude.knots, box),
    rows: enclosing(field.latitude.knots, box.minLat, box.maxLat),
    levels: ofLevels,
    perUnit,
  });
  return [
    part(levels, within, 1),
    ...chainOf(radiation).map(({ field, fluxPerUnit }) => part(field, [0], fluxPerUnit)),
  ];
}

function chainOf(radiation: RadiationField | undefined): RadiationField[] {
  return radiation === undefined ? [] : [radiation, ...chainOf(radiation.later)];
}

/** Indices of increasing knots from the last that is not above `low` to the first that is not below `high`. */
function enclosing(knots: ArrayLike<number>, low: number, high: number): number[] {
  const values = Array.from(knots);
  const first = Math.max(
    values.findLastIndex((knot) => knot <= low),
    0,
  );
  const last = values.findIndex((knot) => knot >= high);
  const end = last < 0 ? values.length : last + 1;
  return Array.from({ length: Math.max(end - first, 0) }, (_, k) => first + k);
}

function columnsOf(knots: Float64Array, { minLon, maxLon, crossesAntimeridian }: BoundingBox): number[] {
  if (!crossesAntimeridian) return enclosing(knots, minLon, maxLon);
  // A globe repeats meridians at its ends.
  const once = (k: number) => (knots[k] as number) >= -180 && (knots[k] as number) < 180;
  return [...enclosing(knots, minLon, 180).filter(once), ...enclosing(knots, -180, maxLon).filter(once)];
}

interface FilePart {
  readonly dimensions: Readonly<Record<string, number>>;
  readonly variables: readonly NetcdfVariable[];
}

const joined = (parts: readonly FilePart[]): FilePart => ({
  dimensions: Object.assign({}, ...parts.map(({ dimensions }) => dimensions)),
  variables: parts.flatMap(({ variables }) => variables),
});

/** Variables of the weather have the names of their axes; those of radiation are marked, and numbered from the second on. */
function fileOf(
  { field, columns, rows, levels }: FieldPart,
  index: number,
  packed: readonly (readonly Uint8Array[])[],
  slabs: readonly { readonly part: number; readonly time: number }[],
): FilePart {
  const before = index === 0 ? '' : 'radiation_';
  const after = index < 2 ? '' : `_${index}`;
  const named = (name: string) => `${before}${name}${after}`;
  const axes: Readonly<Record<string, Float64Array>> = {
    time: field.time.knots.map((ms) => ms / 1000),
    ...(index === 0 ? { level: at(field.level.knots, levels) } : {}),
    latitude: at(field.latitude.knots, rows),
    longitude: ascending(at(field.longitude.knots, columns)),
  };
  const names = Object.keys(axes).map(named);
  const shape = Object.values(axes).map(({ length }) => length);
  const fields: Readonly<Record<string, Field>> = index === 0 ? CONTRAIL_WEATHER_FIELDS : RADIATION_FIELDS;
  return {
    dimensions: Object.fromEntries(names.map((name, k) => [name, shape[k] as number])),
    variables: [
      ...Object.entries(axes).map(([name, data]) => ({
        name: named(name),
        dimensions: [named(name)],
        data,
        attributes: AXES[name as keyof typeof AXES],
      })),
      ...Object.entries(fields).map(
        ([name, { unit, description }], variable): NetcdfVariable => ({
          name: `${name}${after}`,
          dimensions: names,
          type: 'float32',
          chunks: [1, ...shape.slice(1)],
          data: ([time]) => ({
            packed: packed[slabs.findIndex((one) => one.part === index && one.time === time)]?.[
              variable
            ] as Uint8Array,
          }),
          fillValue: Number.NaN,
          attributes: { long_name: description ?? name, units: unit },
        }),
      ),
    ],
  };
}

const AXES = {
  time: {
    standard_name: 'time',
    units: 'seconds since 1970-01-01',
    calendar: 'proleptic_gregorian',
    axis: 'T',
  },
  level: { standard_name: 'air_pressure', units: 'hPa', positive: 'down', axis: 'Z' },
  latitude: { standard_name: 'latitude', units: 'degrees_north', axis: 'Y' },
  longitude: { standard_name: 'longitude', units: 'degrees_east', axis: 'X' },
} as const;

const at = (knots: Float64Array, indices: readonly number[]): Float64Array =>
  Float64Array.from(indices, (k) => knots[k] as number);
