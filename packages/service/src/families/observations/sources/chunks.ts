/** The chunks that FCI frames are delivered in. */
import { fullDisk, toScanAngle } from '@contrails/observations/navigation';

/** Of a frame. */
export const CHUNKS = 40;

/** Degrees. */
export interface Region {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

const SAMPLES = 20;

/** The chunks of FCI, from 1 in the south, that show a region; their rows differ by one from cycle to cycle. */
export function chunksOf({ west, south, east, north }: Region): ReadonlySet<number> {
  const disk = fullDisk('mtg-0');
  const chunks = new Set<number>();
  const width = east >= west ? east - west : east - west + 360;
  for (let i = 0; i <= SAMPLES; i++) {
    for (let j = 0; j <= SAMPLES; j++) {
      const [, y] = toScanAngle(disk, west + (width * i) / SAMPLES, south + ((north - south) * j) / SAMPLES);
      if (Number.isNaN(y)) continue;
      const fromSouth = disk.rows - 1 - (disk.y0 - y) / -disk.dy;
      for (const margin of [-1, 1]) {
        const chunk = Math.floor(((fromSouth + margin) * CHUNKS) / disk.rows) + 1;
        chunks.add(Math.min(CHUNKS, Math.max(1, chunk)));
      }
    }
  }
  const [first, last] = [Math.min(...chunks), Math.max(...chunks)];
  for (let chunk = first; chunk <= last; chunk++) chunks.add(chunk);
  return chunks;
}
