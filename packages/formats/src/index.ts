export type { ChunkSource } from './netcdf/chunks.ts';
export type { AttributeValue } from './netcdf/object-header.ts';
export type { NumericArray, NumericType } from './netcdf/types.ts';
export { encodeNetcdf, type NetcdfFile, type NetcdfVariable } from './netcdf/write.ts';
