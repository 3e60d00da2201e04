/** Humidity and contrail formation above and below the path of a flight. */
import type { Flight, SacResult } from '@contrails/client';
import { FLIGHT_LEVELS } from '../map/map-state.ts';
import type { ResultPoint } from './result.ts';

export interface CrossSection {
  readonly levels: readonly number[];
  /** Sampled positions of the path [ms since 1970]. */
  readonly times: readonly number[];
  /** Level by level, time running fastest; NaN where the weather is unknown. */
  readonly rhi: Float32Array;
  readonly sac: Uint8Array;
}

const MAX_COLUMNS = 90;
const TYPICAL_EFFICIENCY = 0.3;

/** Sampled positions of a path: enough for the width of a chart. */
export function sectionPoints(points: readonly ResultPoint[]): readonly ResultPoint[] {
  const step = Math.max(Math.ceil(points.length / MAX_COLUMNS), 1);
  return points.filter((_, k) => k % step === 0);
}

/** One flight of a fleet for each level, along the same path at the same times. */
export function sectionBody(points: readonly ResultPoint[]): Flight {
  const each = <T>(read: (point: ResultPoint, level: number) => T) =>
    FLIGHT_LEVELS.flatMap((level) => points.map((point) => read(point, level)));
  return {
    flight_id: each((_, level) => `FL${level}`),
    longitude: each(({ longitude }) => longitude),
    latitude: each(({ latitude }) => latitude),
    altitude: each((_, level) => 100 * level),
    time: each(({ timeMs }) => new Date(timeMs).toISOString()),
    engine_efficiency: TYPICAL_EFFICIENCY,
  };
}

export function crossSection(points: readonly ResultPoint[], answer: SacResult): CrossSection {
  return {
    levels: FLIGHT_LEVELS,
    times: points.map(({ timeMs }) => timeMs),
    rhi: Float32Array.from(answer.rhi ?? [], (value) => value ?? Number.NaN),
    sac: Uint8Array.from(answer.sac, (value) => value ?? 0),
  };
}
