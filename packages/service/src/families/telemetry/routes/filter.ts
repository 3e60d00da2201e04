/** Smaller files cut from an hour. DuckDB reads only the row groups and columns that a filter needs, and writes to a file. */

import type { BoundingBox } from '@contrails/engine/grid/layout';
import { TELEMETRY_COLUMNS, type TelemetryColumnName } from '@contrails/flights';
import { sqlPath, sqlText } from '@contrails/formats';
import { createCutFiles } from '@contrails/platform/http/cut-files';
import type { File } from '@contrails/platform/http/files';
import type { Store } from '@contrails/platform/store/store';
import { localCopy, withWorkspace } from '@contrails/platform/workspace';
import type { HourManifest } from '../../../telemetry-store/manifest.ts';

export interface Filter {
  readonly bbox: BoundingBox | undefined;
  readonly airlines: readonly string[] | undefined;
  readonly addresses: readonly string[] | undefined;
  readonly flightIds: readonly string[] | undefined;
  readonly columns: readonly TelemetryColumnName[] | undefined;
}

export function isFiltered(filter: Filter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

const MEMORY_MIB = 256;

/** Cuts files and keeps the last ones, because clients ask for one range after the other. */
export function createFilteredFiles(store: Store) {
  const files = createCutFiles();
  return {
    /** The tag follows from the generation and the filter, so a client that has the file is not sent it again. */
    open(manifest: HourManifest, filter: Filter): Promise<File> {
      const subject = `${manifest.sha256} ${JSON.stringify(filter)}`;
      return files.open(subject, Date.parse(manifest.sealed_at), (path) =>
        withWorkspace({ memoryMiB: MEMORY_MIB }, async ({ duckdb, directory }) => {
          // Sorted by aircraft, a file has few row groups with one of them.
          const isByAircraft = filter.addresses !== undefined || filter.flightIds !== undefined;
          const { key } = isByAircraft ? manifest.by_aircraft : manifest.served;
          await duckdb.run(copySql(await localCopy(store, key, directory), path, manifest, filter));
        }),
      );
    },
    close: () => files.close(),
  };
}

function copySql(source: string, target: string, manifest: HourManifest, filter: Filter): string {
  const { columns = TELEMETRY_COLUMNS } = filter;
  const selected = TELEMETRY_COLUMNS.filter((name) => columns.includes(name)).map((name) => `"${name}"`);
  const footer = {
    schema_version: '1',
    hour: manifest.hour,
    generation: String(manifest.generation),
    filter: JSON.stringify(filter),
  };
  const metadata = Object.entries(footer).map(([name, value]) => `${name}: ${sqlText(value)}`);
  return `COPY (SELECT ${selected.join(', ')} FROM read_parquet(${sqlPath(source)}, hive_partitioning = false)
    WHERE ${conditions(filter).join(' AND ') || 'true'} ORDER BY "timestamp", icao_address)
    TO ${sqlText(target)} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, KV_METADATA {${metadata.join(', ')}})`;
}

function conditions({ bbox, airlines, addresses, flightIds }: Filter): string[] {
  const oneOf = (column: string, values: readonly string[] | undefined) =>
    values === undefined ? [] : [`${column} IN (${values.map(sqlText).join(', ')})`];
  return [
    ...oneOf('icao_address', addresses),
    ...oneOf('airline_iata', airlines),
    ...oneOf('flight_id', flightIds),
    ...(bbox === undefined ? [] : boxConditions(bbox)),
  ];
}

function boxConditions({ minLon, maxLon, minLat, maxLat, crossesAntimeridian }: BoundingBox): string[] {
  const latitude = `latitude BETWEEN ${minLat} AND ${maxLat}`;
  if (crossesAntimeridian) return [latitude, `(longitude >= ${minLon} OR longitude <= ${maxLon})`];
  // Longitude 180 is stored as −180.
  const edge = maxLon === 180 ? ' OR longitude = -180' : '';
  return [latitude, `(longitude BETWEEN ${minLon} AND ${maxLon}${edge})`];
}
