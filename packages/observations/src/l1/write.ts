/** L1 products: the confidence of every pixel on the grid of the imagery, as netCDF-4 that any CF reader places right. */

import { encodeNetcdf, type NetcdfVariable } from '@contrails/formats';
import { isoSecond } from '@contrails/runtime';
import { type Frame, scanOffsetsOf } from '../frame/index.ts';
import { crsOf, type FixedGrid } from '../navigation/index.ts';
import { qualityFlags } from './quality.ts';

/** Confidence is stored in steps of 1/250; 255 is missing. */
export const STORED_PER_UNIT = 250;
export const STORED_FILL = 255;

/** What segments are found in. */
export interface ConfidenceImage extends Pick<Frame, 'satellite' | 'time' | 'grid' | 'scanOffsets'> {
  /** Confidence times 250, 255 where there is none. */
  readonly stored: Uint8Array;
}

/** Where a product comes from. */
export interface L1Origin {
  readonly instrument: string;
  /** Name and version. */
  readonly detector: string;
  /** Hash of its weights or model. */
  readonly detectorWeights: string;
  readonly inputFiles: readonly string[];
  /** Files of earlier frames that the detector read. */
  readonly earlierFiles?: readonly string[];
  readonly maxViewZenithDeg: number;
  readonly licence: string;
  readonly createdMs: number;
  /** What made it, such as a command line. */
  readonly history: string;
}

/** The file as chunks of bytes. The same input gives the same bytes except `date_created` and `history`. */
export async function encodeL1(image: ConfidenceImage, origin: L1Origin): Promise<Uint8Array[]> {
  const { grid, stored, time } = image;
  const { rows, columns } = grid;
  const flags = qualityFlags(grid, origin.maxViewZenithDeg, (pixel) => stored[pixel] === STORED_FILL);
  const offsets = scanOffsetsOf(image);
  const [first, last] = extent(offsets);
  const seconds = time / 1000;
  const chunks = [chunkLength(rows), chunkLength(columns)];
  const pixels = { dimensions: ['y', 'x'], chunks, deflateLevel: 4 };
  const isPerPixel = offsets.length === rows * columns && columns > 1;
  const variables: NetcdfVariable[] = [
    axis('y', rows, grid.y0, grid.dy),
    axis('x', columns, grid.x0, grid.dx),
    {
      name: 'nv',
      dimensions: ['nv'],
      data: Int32Array.of(0, 1),
      attributes: { long_name: 'vertex of bounds' },
    },
    {
      name: 'contrail_confidence',
      ...pixels,
      data: stored,
      fillValue: STORED_FILL,
      attributes: {
        long_name: 'confidence that a pixel shows a contrail',
        units: '1',
        scale_factor: 1 / STORED_PER_UNIT,
        add_offset: 0,
        valid_range: Uint8Array.of(0, STORED_PER_UNIT),
        grid_mapping: 'geostationary',
        coordinates: 'time',
        ancillary_variables: 'quality_flag',
      },
    },
    {
      name: 'quality_flag',
      ...pixels,
      data: flags,
      attributes: {
        long_name: 'quality of the confidence',
        flag_masks: Uint8Array.of(1, 2, 4, 8),
        flag_meanings: 'off_earth beyond_view_zenith_limit bad_input near_tile_or_disk_edge',
        grid_mapping: 'geostationary',
        coordinates: 'time',
      },
    },
    {
      name: 'scan_time_offset',
      ...(isPerPixel ? pixels : { dimensions: ['y'] }),
      data: offsets,
      attributes: { long_name: 'time of the scan after time', units: 's' },
    },
    {
      name: 'time',
      dimensions: [],
      data: BigInt64Array.of(BigInt(seconds)),
      attributes: { ...TIME, standard_name: 'time', long_name: 'nominal time', bounds: 'time_bounds' },
    },
    {
      name: 'time_bounds',
      dimensions: ['nv'],
      data: BigInt64Array.of(BigInt(Math.floor(seconds + first)), BigInt(Math.ceil(seconds + last))),
      attributes: { ...TIME },
    },
    { name: 'geostationary', dimensions: [], data: Int32Array.of(0), attributes: gridMapping(grid) },
  ];
  return encodeNetcdf({
    dimensions: { y: rows, x: columns, nv: 2 },
    variables,
    attributes: {
      Conventions: 'CF-1.10',
      title: 'Contrail confidence from geostationary imagery',
      satellite: image.satellite,
      instrument: origin.instrument,
      processing_level: 'L1',
      detector: origin.detector,
      detector_weights: origin.detectorWeights,
      max_view_zenith_angle: origin.maxViewZenithDeg,
      input_files: origin.inputFiles.join(','),
      ...(origin.earlierFiles?.length ? { earlier_files: origin.earlierFiles.join(',') } : {}),
      time_coverage_start: isoSecond(time + first * 1000),
      time_coverage_end: isoSecond(time + last * 1000),
      projection: crsOf(grid),
      date_created: isoSecond(origin.createdMs),
      history: origin.history,
      licence: origin.licence,
    },
  });
}

const TIME = { units: 'seconds since 1970-01-01 00:00:00', calendar: 'proleptic_gregorian' };

function axis(name: 'x' | 'y', length: number, first: number, step: number): NetcdfVariable {
  return {
    name,
    dimensions: [name],
    data: Float64Array.from({ length }, (_, i) => first + i * step),
    attributes: {
      standard_name: `projection_${name}_angular_coordinate`,
      long_name: name === 'x' ? 'scan angle, positive to the east' : 'scan angle, positive to the north',
      // Without `axis`: GDAL takes axes that have it for metres, ignoring their units, if there also is a WKT.
      units: 'rad',
    },
  };
}

function gridMapping(grid: FixedGrid): Record<string, string | number> {
  const wkt = crsWkt(grid);
  const { x0, y0, dx, dy, height } = grid;
  // Corner and steps in metres, by which GDAL and rioxarray place the image.
  const transform = [x0 - dx / 2, dx, 0, y0 - dy / 2, 0, dy].map((angle) => angle * height);
  return {
    grid_mapping_name: 'geostationary',
    perspective_point_height: grid.height,
    semi_major_axis: grid.semiMajor,
    semi_minor_axis: grid.semiMinor,
    inverse_flattening: inverseFlattening(grid),
    longitude_of_projection_origin: grid.longitudeOfOrigin,
    latitude_of_projection_origin: 0,
    sweep_angle_axis: grid.sweep,
    crs_wkt: wkt,
    spatial_ref: wkt,
    GeoTransform: transform.join(' '),
  };
}

/** The largest divisor up to 512, so no chunk is partly empty; lengths without a useful one are cut all the same. */
function chunkLength(length: number): number {
  const max = Math.min(512, length);
  for (let divisor = max; divisor >= 64; divisor--) if (length % divisor === 0) return divisor;
  return max;
}

function extent(offsets: Float32Array): [number, number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const offset of offsets) {
    if (offset < min) min = offset;
    if (offset > max) max = offset;
  }
  return min <= max ? [min, max] : [0, 0];
}

const DEGREE = 'ANGLEUNIT["degree",0.0174532925199433]';
const METRE = 'LENGTHUNIT["metre",1]';

/** The reference system of a fixed grid in WKT 2, in metres. */
function crsWkt(grid: FixedGrid): string {
  const ellipsoid = `ELLIPSOID["unknown",${grid.semiMajor},${inverseFlattening(grid)},${METRE}]`;
  const base = `BASEGEOGCRS["unknown",DATUM["unknown",${ellipsoid}],PRIMEM["Greenwich",0,${DEGREE}]]`;
  const parameters = [
    `PARAMETER["Longitude of natural origin",${grid.longitudeOfOrigin},${DEGREE},ID["EPSG",8802]]`,
    `PARAMETER["Satellite Height",${grid.height},${METRE}]`,
    `PARAMETER["False easting",0,${METRE},ID["EPSG",8806]]`,
    `PARAMETER["False northing",0,${METRE},ID["EPSG",8807]]`,
  ].join(',');
  const method = `METHOD["Geostationary Satellite (Sweep ${grid.sweep.toUpperCase()})"]`;
  const axes = `CS[Cartesian,2],AXIS["(E)",east,ORDER[1],${METRE}],AXIS["(N)",north,ORDER[2],${METRE}]`;
  return `PROJCRS["${grid.name}",${base},CONVERSION["unknown",${method},${parameters}],${axes}]`;
}

function inverseFlattening({ semiMajor, semiMinor }: FixedGrid): number {
  return semiMajor === semiMinor ? 0 : semiMajor / (semiMajor - semiMinor);
}
