import { packChunk } from '@contrails/formats';
import { defineKernel } from '../compute.ts';
import { type RegionStatement, regionFeatures } from './regions.ts';

type SharedPlanes = readonly Float32Array<SharedArrayBuffer>[];

export interface LevelInput {
  readonly longitude: Float64Array<SharedArrayBuffer>;
  readonly latitude: Float64Array<SharedArrayBuffer>;
  readonly flightLevels: readonly number[];
  /** One plane for each level, longitude by longitude, latitude running fastest. */
  readonly efPerM: SharedPlanes;
  readonly ageHours: SharedPlanes;
  readonly index: SharedPlanes;
  /** Given when the grid also represents a class of the forecast. */
  readonly regions?: RegionStatement;
}

/** One level, encoded. */
export interface EncodedLevel {
  readonly efPerM: Uint8Array;
  readonly ageHours: Uint8Array;
  readonly forecast?: {
    readonly index: Uint8Array;
    /** A feature for each threshold. */
    readonly regions: readonly Uint8Array[];
  };
}

export default defineKernel<LevelInput, EncodedLevel>((input) => (level, { transfer }) => {
  const { longitude, latitude, flightLevels, regions } = input;
  const own = (bytes: Uint8Array): Uint8Array => {
    const copy = new Uint8Array(bytes);
    transfer(copy.buffer);
    return copy;
  };
  const packed = (planes: SharedPlanes) => own(packChunk(planes[level] as Float32Array).packed);
  const grids = { efPerM: packed(input.efPerM), ageHours: packed(input.ageHours) };
  if (regions === undefined) return grids;
  const plane = input.index[level] as Float32Array;
  const features = regionFeatures(plane, longitude, latitude, flightLevels[level] as number, regions);
  return { ...grids, forecast: { index: packed(input.index), regions: features.map(own) } };
});
