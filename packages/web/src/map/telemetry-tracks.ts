/** Tracks of one hour of telemetry, read from the Parquet file of the service. */
import { parquetReadObjects } from 'hyparquet';
import { compressors } from '../parquet.ts';
import { service } from '../service.ts';
import type { FlightInput } from '../track.ts';
import { HOUR_MS, hourText } from './map-state.ts';

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

export async function loadTracks(
  hour: string,
  signal?: AbortSignal,
  filter: { readonly icao_address?: string[] } = {},
): Promise<Track[]> {
  const answer = await service.telemetry.hour(
    { date: hour, columns: [...COLUMNS], ...filter },
    signal === undefined ? {} : { signal },
  );
  const file = await answer.arrayBuffer();
  const rows = (await parquetReadObjects({ file, compressors })) as unknown as Report[];
  return tracksOf(rows);
}

/** No flight is longer. */
const MAX_HOURS = 18;
/** Reports further apart are those of another flight [ms]. */
const MAX_GAP_MS = HOUR_MS / 2;

/**
 * The whole flight that a track of one hour is part of: hours before and after it as long as the same aircraft flies on under
 * the same callsign. A note shows if only this hour has it.
 */
export async function loadLeg(track: Track): Promise<FlightInput> {
  const { first, last } = (await service.status.overview()).telemetry ?? {};
  const [earliestMs, latestMs] = [Date.parse(first ?? ''), Date.parse(last ?? '')];
  const [icaoAddress = ''] = track.id.split(' ');
  const points = [...track.points];
  const hourOf = (timeMs: number) => Math.floor(timeMs / HOUR_MS) * HOUR_MS;
  const extend = async (step: -1 | 1) => {
    const edge = () => (step < 0 ? points[0] : points.at(-1))?.timeMs ?? 0;
    let hourMs = hourOf(edge()) + step * HOUR_MS;
    for (let hours = 0; hours < MAX_HOURS; hours++) {
      if (!(hourMs >= earliestMs && hourMs <= latestMs)) return;
      const found = await loadTracks(hourText(hourMs), undefined, { icao_address: [icaoAddress] });
      const next = found.find(({ id }) => id === track.id);
      const near = (step < 0 ? next?.points.at(-1) : next?.points[0])?.timeMs;
      if (next === undefined || near === undefined || Math.abs(near - edge()) > MAX_GAP_MS) return;
      if (step < 0) points.unshift(...next.points);
      else points.push(...next.points);
      hourMs += step * HOUR_MS;
    }
  };
  await extend(-1);
  await extend(1);
  const { name, aircraftType } = track;
  const isOneHour = points.length === track.points.length;
  return {
    name,
    aircraftType,
    points,
    ...(isOneHour && { notes: ['Telemetry has this aircraft in one hour only: this is what it flew then.'] }),
  };
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

/** Lines of the tracks, and a point where each aircraft was last. */
export function trackShapes(tracks: readonly Track[], hasPoints = true): GeoJSON.FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: tracks.flatMap(({ id, points }): GeoJSON.Feature[] => {
      const coordinates: number[][][] = [[]];
      points.forEach(({ longitude, latitude }, k) => {
        const before = points[k - 1];
        if (before !== undefined && Math.abs(longitude - before.longitude) > 180) coordinates.push([]);
        coordinates.at(-1)?.push([longitude, latitude]);
      });
      const lines = coordinates.filter((line) => line.length > 1);
      const last = points.at(-1);
      return [
        { type: 'Feature', properties: { id }, geometry: { type: 'MultiLineString', coordinates: lines } },
        ...(last === undefined || !hasPoints
          ? []
          : [
              {
                type: 'Feature' as const,
                properties: { id, kind: 'aircraft' },
                geometry: { type: 'Point' as const, coordinates: [last.longitude, last.latitude] },
              },
            ]),
      ];
    }),
  };
}
