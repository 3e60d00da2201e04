export type { RegionFeature } from './feature.ts';
export { altitudeOf } from './feature.ts';
export { encodeGeojson, GEOJSON_FRAME, geojsonFeature } from './geojson.ts';
export { encodeKml, type KmlDocument, kmlFolder, kmlFrame } from './kml.ts';
export { type ChunkSource, type PackedChunk, packChunk, unpackChunk } from './netcdf/chunks.ts';
export type { NetcdfFile, NetcdfVariable } from './netcdf/file.ts';
export type { AttributeValue } from './netcdf/object-header.ts';
export type { NumericArray, NumericType } from './netcdf/types.ts';
export { encodeNetcdf } from './netcdf/write.ts';
export { checkParquet } from './parquet/check-file.ts';
export {
  type AppendedColumn,
  type ColumnBlock,
  type DuckDb,
  type DuckDbChunk,
  type DuckDbSettings,
  IGNORE_STATISTICS,
  openDuckDb,
  type SqlParameters,
  sqlPath,
  sqlText,
  USE_STATISTICS,
} from './parquet/duckdb.ts';
export type { ParquetColumn, ParquetTexts, ParquetValues } from './parquet/encode-column.ts';
export type { ParquetType } from './parquet/file-parts.ts';
export { TextCodes } from './parquet/text-codes.ts';
export {
  type EncodedRowGroup,
  encodeRowGroup,
  type ParquetCompression,
  ParquetWriter,
} from './parquet/write.ts';
export { type CellTest, thresholdTest } from './polygons/mask.ts';
export { type NestedOptions, nestedPolygonsOf } from './polygons/nested.ts';
export {
  DEFAULT_SIMPLIFICATION,
  MAX_SIMPLIFICATION,
  type PolygonOptions,
  polygonsOf,
  simplificationOf,
} from './polygons/polygons.ts';
export type { MultiPolygon, Polygon, Ring } from './polygons/ring.ts';
export type { TextFrame } from './text-chunks.ts';
export { writeZip } from './zip.ts';
