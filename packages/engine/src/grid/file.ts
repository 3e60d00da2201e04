/** Files of gridded products, put together from levels that were encoded one by one. */

import {
  type AttributeValue,
  encodeNetcdf,
  GEOJSON_FRAME,
  type KmlDocument,
  kmlFrame,
  type NetcdfVariable,
  type TextFrame,
} from '@contrails/formats';
import { isoSecond } from '@contrails/runtime';
import { MODELING_VERSION } from '../modeling-version.ts';
import type { GridCells } from './layout.ts';

type Attributes = Readonly<Record<string, AttributeValue>>;

/**
 * Order of the dimensions: `default` is that of the field (longitude, latitude, flight level, time); `cf` that of the CF
 * conventions (time, flight level, latitude, longitude), which geographic information systems show as a map.
 */
export type GridLayout = 'default' | 'cf';

export const GRID_FORMATS = ['netcdf', 'geojson', 'kml'] as const;

export type GridFormat = (typeof GRID_FORMATS)[number];

/** Content type and ending of each format. */
export const GRID_CONTENT: Readonly<Record<GridFormat, { readonly type: string; readonly ending: string }>> =
  {
    netcdf: { type: 'application/netcdf', ending: 'nc' },
    geojson: { type: 'application/json', ending: 'geojson' },
    kml: { type: 'application/vnd.google-earth.kml+xml', ending: 'kml' },
  };

/** `sac_20240612T030000Z.nc` */
export function gridFileName(product: string, timeMs: number, format: GridFormat): string {
  return `${product}_${isoSecond(timeMs).replace(/[-:]/g, '')}.${GRID_CONTENT[format].ending}`;
}

/** Files carry whole seconds; a grid within one is computed at its beginning [ms since 1970]. */
export function wholeSecond(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000;
}

/** A float32 variable on longitude, latitude, flight level and time. */
export interface GridVariable {
  readonly name: string;
  readonly attributes: Attributes;
  /** The least and the largest value there can be. */
  readonly validRange?: readonly [min: number, largest: number];
  /** Its levels as `encodeLevel` packed them, in the order of the cells' flight levels. */
  readonly levels: readonly Uint8Array[];
}

export interface GridFile {
  readonly cells: GridCells;
  /** [ms since 1970], a whole second. */
  readonly timeMs: number;
  readonly variables: readonly GridVariable[];
  /** Of the data set, besides `Conventions`. */
  readonly attributes: Attributes;
  /** That in which the levels were packed. */
  readonly layout?: GridLayout;
  /** Start of the weather model run, where the product records it [ms since 1970]. */
  readonly forecastReferenceTimeMs?: number;
}

/** A netCDF-4 file with one chunk for each level, as parts to be sent in turn. */
export function joinNetcdf(file: GridFile): Promise<Uint8Array[]> {
  const { cells, timeMs, forecastReferenceTimeMs, layout = 'default' } = file;
  const { longitude, latitude, flightLevels } = cells;
  const reference =
    forecastReferenceTimeMs === undefined
      ? []
      : [timeVariable('forecast_reference_time', forecastReferenceTimeMs, 'forecast_reference_time')];
  return encodeNetcdf({
    dimensions: inOrder(layout, {
      longitude: longitude.length,
      latitude: latitude.length,
      flight_level: flightLevels.length,
      time: 1,
    }),
    variables: [
      degreesVariable('longitude', layout === 'cf' ? ascending(longitude) : longitude, 'degrees_east'),
      degreesVariable('latitude', latitude, 'degrees_north'),
      {
        name: 'flight_level',
        dimensions: ['flight_level'],
        data: Int32Array.from(flightLevels),
        attributes: { long_name: 'Flight Level', standard_name: 'FL', units: 'hectofeet' },
      },
      timeVariable('time', timeMs, 'time'),
      ...reference,
      ...file.variables.map((variable) => dataVariable(variable, cells, layout, reference.length > 0)),
    ].map((variable) => (layout === 'cf' ? withCfAttributes(variable) : variable)),
    attributes: {
      Conventions: CONVENTIONS[layout],
      ...(layout === 'cf' && {
        title: file.variables.map(({ name, attributes }) => attributes.long_name ?? name).join('; '),
        history: `computed by contrails ${MODELING_VERSION}`,
      }),
      ...file.attributes,
    },
  });
}

/** Files of the default layout keep names of the field that the conventions do not know; 1.9 is the first with int64. */
const CONVENTIONS: Readonly<Record<GridLayout, string>> = { default: 'CF-1.8', cf: 'CF-1.9' };

/** What the conventions ask for beyond the names and units of the field. */
const CF_ATTRIBUTES: Readonly<Record<string, Attributes>> = {
  longitude: { long_name: 'Longitude', axis: 'X' },
  latitude: { long_name: 'Latitude', axis: 'Y' },
  flight_level: { standard_name: 'barometric_altitude', positive: 'up', axis: 'Z' },
  time: { long_name: 'Time', axis: 'T' },
  forecast_reference_time: { long_name: 'Start of the weather model run' },
};

function withCfAttributes(variable: NetcdfVariable): NetcdfVariable {
  const { units, ...others } = variable.attributes ?? {};
  const stated = units === undefined || units === '' ? '1' : units;
  return { ...variable, attributes: { ...others, units: stated, ...CF_ATTRIBUTES[variable.name] } };
}

/** Something of each dimension, longitude first by default and last by the conventions. */
function inOrder<T>(layout: GridLayout, dimensions: Readonly<Record<string, T>>): Record<string, T> {
  const entries = Object.entries(dimensions);
  return Object.fromEntries(layout === 'cf' ? entries.reverse() : entries);
}

/** The conventions want axes that ascend: across the antimeridian longitudes go on beyond 180. */
export function ascending(longitude: Float64Array): Float64Array {
  let turns = 0;
  return longitude.map((value, k) => {
    if (k > 0 && value < (longitude[k - 1] as number)) turns += 360;
    return value + turns;
  });
}

/** A FeatureCollection of features that `encodeLevel` wrote. */
export function joinGeojson(levels: readonly (readonly Uint8Array[])[]): Uint8Array[] {
  return framed(GEOJSON_FRAME, levels);
}

/** A KML document of folders that `encodeLevel` wrote. */
export function joinKml(document: KmlDocument, levels: readonly (readonly Uint8Array[])[]): Uint8Array[] {
  return framed(kmlFrame(document), levels);
}

function framed(frame: TextFrame, items: readonly (readonly Uint8Array[])[]): Uint8Array[] {
  const encoder = new TextEncoder();
  const between = frame.between === '' ? [] : [encoder.encode(frame.between)];
  return [
    encoder.encode(frame.head),
    ...items.flatMap((item, index) => (index === 0 ? item : [...between, ...item])),
    encoder.encode(frame.tail),
  ];
}

function degreesVariable(name: string, values: Float64Array, units: string): NetcdfVariable {
  return {
    name,
    dimensions: [name],
    data: new Float32Array(values),
    attributes: { standard_name: name, units },
  };
}

function timeVariable(name: string, timeMs: number, standardName: string): NetcdfVariable {
  return {
    name,
    dimensions: ['time'],
    data: BigInt64Array.of(BigInt(Math.floor(timeMs / 1000))),
    attributes: {
      units: 'seconds since 1970-01-01',
      calendar: 'proleptic_gregorian',
      standard_name: standardName,
    },
  };
}

function dataVariable(
  { name, attributes, validRange, levels }: GridVariable,
  { longitude, latitude }: GridCells,
  layout: GridLayout,
  hasReference: boolean,
): NetcdfVariable {
  const chunk = inOrder(layout, {
    longitude: longitude.length,
    latitude: latitude.length,
    flight_level: 1,
    time: 1,
  });
  const dimensions = Object.keys(chunk);
  const level = dimensions.indexOf('flight_level');
  return {
    name,
    dimensions,
    type: 'float32',
    data: (offset) => ({ packed: levels[offset[level] as number] as Uint8Array }),
    chunks: Object.values(chunk),
    fillValue: Number.NaN,
    attributes: {
      ...attributes,
      // Of the type of the variable, as readers that apply them require.
      ...(validRange && {
        valid_min: Float32Array.of(validRange[0]),
        valid_max: Float32Array.of(validRange[1]),
      }),
      ...(hasReference && { coordinates: 'forecast_reference_time' }),
    },
  };
}
