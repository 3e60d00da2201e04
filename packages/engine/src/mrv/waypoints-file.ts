/** The waypoints at whole minutes that flights were computed from, written as they are computed. */
import { type ParquetColumn, ParquetWriter } from '@contrails/formats';
import type { Provenance } from './inputs.ts';
import type { Track } from './tracks.ts';

export interface UsedTrack {
  readonly key: string;
  readonly track: Track;
  readonly provenance: Provenance;
}

const COLUMNS: readonly ParquetColumn[] = [
  { name: 'flight_key', type: 'string' },
  { name: 'time', type: 'timestamp' },
  { name: 'longitude', type: 'double' },
  { name: 'latitude', type: 'double' },
  { name: 'altitude_ft', type: 'double' },
  { name: 'provenance', type: 'string' },
];

interface WaypointsFile {
  write(tracks: readonly UsedTrack[]): Promise<void>;
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

export async function createWaypointsFile(path: string): Promise<WaypointsFile> {
  const writer = await ParquetWriter.create(path, COLUMNS);
  return {
    async write(tracks) {
      const lengths = Uint32Array.from(tracks, ({ track }) => track.timeMs.length);
      const rowCount = lengths.reduce((sum, length) => sum + length, 0);
      if (rowCount === 0) return;
      const numbers = (name: 'timeMs' | 'longitude' | 'latitude' | 'altitudeFt') => {
        const column = new Float64Array(rowCount);
        let at = 0;
        for (const { track } of tracks) {
          column.set(track[name], at);
          at += track[name].length;
        }
        return column;
      };
      const texts = (of: (one: UsedTrack) => string) => {
        const list = [...new Set(tracks.map(of))];
        const index = new Map(list.map((text, i) => [text, i]));
        return { list, indices: Int32Array.from(tracks, (one) => index.get(of(one)) as number), lengths };
      };
      await writer.writeRowGroup(rowCount, [
        texts(({ key }) => key),
        numbers('timeMs'),
        numbers('longitude'),
        numbers('latitude'),
        numbers('altitudeFt'),
        texts(({ provenance }) => provenance),
      ]);
    },
    finish: () => writer.finish(),
    abandon: () => writer.abandon(),
  };
}
