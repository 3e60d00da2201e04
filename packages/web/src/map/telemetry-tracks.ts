/** Tracks of one hour of telemetry, read from the Parquet file of the service. */
import { parquetReadObjects } from 'hyparquet';
import { compressors } from '../parquet.ts';
import { service } from '../service.ts';
import type { FlightInput } from '../track.ts';

interface Report {
  readonly timestamp: Date;
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude_baro: bigint | number | null;
  readonly icao_address: string;
  readonly callsign: string | null;
  readonly aircraft_type_icao: string | null;
}

/** The reports of one aircraft under one callsign. */
export interface Track extends FlightInput {
  readonly id: string;
}

const COLUMNS = [
  'timestamp',
  'latitude',
  'longitude',
  'altitude_baro',
  'icao_address',
  'callsign',
  'aircraft_type_icao',
] as const;

export async function loadTracks(hour: string, signal?: AbortSignal): Promise<Track[]> {
  const answer = await service.telemetry.hour(
    { date: hour, columns: [...COLUMNS] },
    signal === undefined ? {} : { signal },
  );
  const file = await answer.arrayBuffer();
  const rows = (await parquetReadObjects({ file, compressors })) as unknown as Report[];
  return tracksOf(rows);
}

/** Reports grouped by airframe and callsign, in order of time; those without an altitude are left out. */
function tracksOf(rows: readonly Report[]): Track[] {
  const groups = Map.groupBy(
    rows.filter(({ altitude_baro }) => altitude_baro !== null),
    ({ icao_address, callsign }) => `${icao_address} ${callsign ?? ''}`,
  );
  return [...groups].flatMap(([id, reports]): Track[] => {
    const [first] = reports;
    if (first === undefined || reports.length < 2) return [];
    const points = reports
      .map(({ timestamp, longitude, latitude, altitude_baro }) => ({
        timeMs: timestamp.getTime(),
        longitude,
        latitude,
        altitudeFt: Number(altitude_baro),
      }))
      .sort((a, b) => a.timeMs - b.timeMs);
    const name = first.callsign ?? first.icao_address;
    return [{ id, name, aircraftType: first.aircraft_type_icao ?? undefined, points }];
  });
}

export function trackShapes(tracks: readonly Track[]): GeoJSON.FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: tracks.map(({ id, name, aircraftType, points }): GeoJSON.Feature => {
      const coordinates: number[][][] = [[]];
      points.forEach(({ longitude, latitude }, k) => {
        const before = points[k - 1];
        if (before !== undefined && Math.abs(longitude - before.longitude) > 180) coordinates.push([]);
        coordinates.at(-1)?.push([longitude, latitude]);
      });
      const lines = coordinates.filter((line) => line.length > 1);
      return {
        type: 'Feature',
        properties: { id, name, type: aircraftType ?? '', altitude: points.at(-1)?.altitudeFt ?? 0 },
        geometry: { type: 'MultiLineString', coordinates: lines },
      };
    }),
  };
}
