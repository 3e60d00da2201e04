/** Adds the energy forcing of the models to what was attributed to a flight. */

import type { InventoryFlight, ModelColumns } from '@contrails/flights/inventory';
import { haversineM } from '@contrails/physics/geodesy';
import type { ChunkResult } from './results.ts';

/** Adds the model's results to chunks. */
export async function withForcing(
  nominal: NominalForcing,
  flight: InventoryFlight,
  modelled: ModelColumns,
  chunks: readonly ChunkResult[],
): Promise<ChunkResult[]> {
  const results: ChunkResult[] = [];
  for (const chunk of chunks) {
    const { ef, persistentM } = sumOver(flight, modelled, chunk);
    const perM =
      chunk.isAttributed && persistentM === 0 ? await nominal.perMetre(middleOf(chunk)) : undefined;
    results.push({
      ...chunk,
      model: {
        ef_J: ef,
        persistent_m: Math.round(persistentM),
        nominal_J: perM == null ? null : perM * chunk.length_m,
      },
    });
  }
  return results;
}

function sumOver(
  { columns: { timeMs, longitude, latitude } }: InventoryFlight,
  { energy_forcing }: ModelColumns,
  { startMs, endMs }: ChunkResult,
): { ef: number; persistentM: number } {
  let [ef, persistentM] = [0, 0];
  for (let i = 0; i + 1 < timeMs.length; i++) {
    const ms = timeMs[i] as number;
    const joules = energy_forcing[i] as number;
    if (ms < startMs || ms >= endMs || !(Math.abs(joules) > 0)) continue;
    ef += joules;
    persistentM += haversineM(
      longitude[i] as number,
      latitude[i] as number,
      longitude[i + 1] as number,
      latitude[i + 1] as number,
    );
  }
  return { ef, persistentM };
}

export interface SunlitPosition {
  readonly timeMs: number;
  readonly longitude: number;
  readonly latitude: number;
}

function middleOf({ startMs, endMs, line }: ChunkResult): SunlitPosition {
  const [longitude, latitude] = line[line.length >> 1] ?? [Number.NaN, Number.NaN, Number.NaN];
  return { timeMs: (startMs + endMs) / 2, longitude, latitude };
}

export interface NominalForcing {
  /** Mean forcing [J/m] of the model's persistent contrails of the same day, latitudes and sunlight; null without any. */
  perMetre(position: SunlitPosition): Promise<number | null>;
}
