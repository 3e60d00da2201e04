/** Reports that no aircraft could have made in sequence. */
import { haversineM } from '@contrails/physics/geodesy';
import { rowNumbers } from '../telemetry/airframe-reports.ts';
import type { TelemetryColumns } from '../telemetry/columns.ts';

const SLOW_MS = 45;
const FAST_MS = 350;
const MAX_ROUNDS = 5;

type SpeedColumns = Pick<TelemetryColumns, 'timestamp' | 'longitude' | 'latitude' | 'nic' | 'nacp'>;

/**
 * Indices of the rows that remain. A round drops both ends of every segment that is too slow or too fast, or the one whose
 * position is known to be inaccurate where the other's is not; it is repeated until nothing is dropped.
 */
export function healSpeeds(columns: SpeedColumns, rows: Uint32Array): Uint32Array {
  let kept = rowNumbers(rows.length);
  for (let round = 0; round < MAX_ROUNDS && kept.length > 1; round++) {
    let drop: Uint8Array | undefined;
    for (let i = 0; i + 1 < kept.length; i++) {
      const a = rows[kept[i] as number] as number;
      const b = rows[kept[i + 1] as number] as number;
      if (isFlyable(columns, a, b)) continue;
      drop ??= new Uint8Array(kept.length);
      const [isLowA, isLowB] = [isInaccurate(columns, a), isInaccurate(columns, b)];
      if (isLowA || !isLowB) drop[i] = 1;
      if (isLowB || !isLowA) drop[i + 1] = 1;
    }
    if (drop === undefined) break;
    const dropped = drop;
    kept = kept.filter((_, i) => dropped[i] === 0);
  }
  return kept;
}

function isFlyable({ timestamp, longitude, latitude }: SpeedColumns, a: number, b: number): boolean {
  const distanceM = haversineM(
    longitude[a] as number,
    latitude[a] as number,
    longitude[b] as number,
    latitude[b] as number,
  );
  const speedMS = distanceM / (((timestamp[b] as number) - (timestamp[a] as number)) / 1000);
  return speedMS > SLOW_MS && speedMS < FAST_MS;
}

/** Containment of 1,852 m and more, or an error of as much; 0 is ignored: many old transponders send it. */
function isInaccurate({ nic, nacp }: Pick<SpeedColumns, 'nic' | 'nacp'>, row: number): boolean {
  return isLowCategory(nic[row] as number) || isLowCategory(nacp[row] as number);
}

function isLowCategory(category: number): boolean {
  return category >= 1 && category <= 4;
}
