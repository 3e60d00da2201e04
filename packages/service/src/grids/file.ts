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
import type { GridCells } from './layout.ts';

type Attributes = Readonly<Record<string, AttributeValue>>;

/** A float32 variable on longitude × latitude × flight level × time. */
export interface GridVariable {
  readonly name: string;
  readonly attributes: Attributes;
  /** Its levels as `encodeLevel` packed them, in the order of the cells' flight levels. */
  readonly levels: readonly Uint8Array[];
}

export interface GridFile {
  readonly cells: GridCells;
  /** [ms since 1970], a whole second. */
  readonly timeMs: number;
  readonly variables: readonly GridVariable[];
  /** Of the data set. */
  readonly attributes: Attributes;
  /** `int32` under /v0, `int16` under /v1. */
  readonly flightLevelType?: 'int32' | 'int16';
  /** Start of the weather model run, where the product tells it [ms since 1970]. */
  readonly forecastReferenceTimeMs?: number;
}

/** A netCDF-4 file with one chunk for each level, as parts to be sent one after the other. */
export function joinNetcdf(file: GridFile): Promise<Uint8Array[]> {
  const { cells, timeMs, forecastReferenceTimeMs } = file;
  const { longitude, latitude, flightLevels } = cells;
  const reference =
    forecastReferenceTimeMs === undefined
      ? []
      : [timeVariable('forecast_reference_time', forecastReferenceTimeMs, 'forecast_reference_time')];
  return encodeNetcdf({
    dimensions: {
      longitude: longitude.length,
      latitude: latitude.length,
      flight_level: flightLevels.length,
      time: 1,
    },
    variables: [
      degreesVariable('longitude', longitude, 'degrees_east'),
      degreesVariable('latitude', latitude, 'degrees_north'),
      {
        name: 'flight_level',
        dimensions: ['flight_level'],
        data:
          file.flightLevelType === 'int16' ? Int16Array.from(flightLevels) : Int32Array.from(flightLevels),
        attributes: { long_name: 'Flight Level', standard_name: 'FL', units: 'hectofeet' },
      },
      timeVariable('time', timeMs, 'time'),
      ...reference,
      ...file.variables.map((variable) => dataVariable(variable, cells, reference.length > 0)),
    ],
    attributes: file.attributes,
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
  { name, attributes, levels }: GridVariable,
  { longitude, latitude }: GridCells,
  hasReference: boolean,
): NetcdfVariable {
  return {
    name,
    dimensions: ['longitude', 'latitude', 'flight_level', 'time'],
    type: 'float32',
    data: (offset) => ({ packed: levels[offset[2] as number] as Uint8Array }),
    chunks: [longitude.length, latitude.length, 1, 1],
    fillValue: Number.NaN,
    attributes: hasReference ? { ...attributes, coordinates: 'forecast_reference_time' } : attributes,
  };
}
