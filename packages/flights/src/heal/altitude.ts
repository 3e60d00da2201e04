/** Pressure altitudes of a leg: unknown ones estimated, impossible ones left out. */
import type { TelemetryColumns } from '../telemetry/columns.ts';

export interface AltitudeLimits {
  /** Both exclusive [ft]. */
  readonly aboveFt: number;
  readonly belowFt: number;
}

/**
 * Pressure altitude [ft] from the weather: what a geometric altitude [ft] is at this place and time; NaN where the weather
 * is unknown.
 */
export type PressureAltitude = (
  longitude: number,
  latitude: number,
  timeMs: number,
  altitudeGnssFt: number,
) => number;

export interface Altitudes {
  readonly rows: Uint32Array;
  /** Pressure altitude of these rows [ft]. */
  readonly altitudeFt: Float64Array;
  /** How many of them were estimated from the geometric altitude. */
  readonly fromGnss: number;
}

const HIGHEST_FT = 55_000;
const ABOVE_CEILING_FT = 2000;
const BELOW_ELEVATION_FT = 500;
const MEDIAN_REPORTS = 11;

/** The limits of the reference pipeline. */
export const REFERENCE_LIMITS: AltitudeLimits = { aboveFt: 0, belowFt: HIGHEST_FT };

/** Limits from the ceiling of the type and the elevations of the airports; an unknown airport is at sea level. */
export function altitudeLimits(
  ceilingFt: number | undefined,
  elevationsFt: readonly [departure: number | undefined, arrival: number | undefined],
): AltitudeLimits {
  const lowest = Math.min(...elevationsFt.map((elevation) => elevation ?? 0));
  return {
    aboveFt: lowest - BELOW_ELEVATION_FT,
    belowFt: Math.min(HIGHEST_FT, (ceilingFt ?? HIGHEST_FT) + ABOVE_CEILING_FT),
  };
}

type AltitudeColumns = Pick<
  TelemetryColumns,
  'timestamp' | 'longitude' | 'latitude' | 'altitude_baro' | 'altitude_gnss'
>;

/** Rows in order of time, without those that have no altitude within the limits. */
export function healAltitudes(
  columns: AltitudeColumns,
  rows: Uint32Array,
  { aboveFt, belowFt }: AltitudeLimits,
  pressureAltitude: PressureAltitude | undefined,
): Altitudes {
  const { timestamp, longitude, latitude, altitude_baro, altitude_gnss } = columns;
  const kept = new Uint32Array(rows.length);
  const altitudeFt = new Float64Array(rows.length);
  let offsets: GnssOffsets | undefined;
  let [count, fromGnss] = [0, 0];
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k] as number;
    let feet = altitude_baro[row] as number;
    const gnss = altitude_gnss[row] as number;
    const isEstimated = Number.isNaN(feet) && !Number.isNaN(gnss);
    if (isEstimated) {
      offsets ??= new GnssOffsets(columns, rows);
      feet = offsets.isEmpty
        ? (pressureAltitude?.(
            longitude[row] as number,
            latitude[row] as number,
            timestamp[row] as number,
            gnss,
          ) ?? Number.NaN)
        : gnss - offsets.at(k);
    }
    if (!(feet > aboveFt && feet < belowFt)) continue;
    if (isEstimated) fromGnss++;
    kept[count] = row;
    altitudeFt[count++] = feet;
  }
  return count === rows.length
    ? { rows, altitudeFt, fromGnss }
    : { rows: kept.slice(0, count), altitudeFt: altitudeFt.slice(0, count), fromGnss };
}

/** Geometric less pressure altitude [ft] along a leg. */
class GnssOffsets {
  /** Indices of the rows with both altitudes, and their offsets. */
  private readonly known: number[] = [];
  private readonly offsets: number[] = [];
  /** How many of them precede the last requested row. */
  private passed = 0;

  constructor(
    { altitude_baro, altitude_gnss }: Pick<TelemetryColumns, 'altitude_baro' | 'altitude_gnss'>,
    rows: Uint32Array,
  ) {
    rows.forEach((row, k) => {
      const offset = (altitude_gnss[row] as number) - (altitude_baro[row] as number);
      if (Number.isNaN(offset)) return;
      this.known.push(k);
      this.offsets.push(offset);
    });
  }

  get isEmpty(): boolean {
    return this.offsets.length === 0;
  }

  /** Median of the reports around a row; near the ends of the leg the window moves inwards. Ask in ascending order. */
  at(k: number): number {
    while (this.passed < this.known.length && (this.known[this.passed] as number) < k) this.passed++;
    const last = Math.max(this.offsets.length - MEDIAN_REPORTS, 0);
    const first = Math.min(Math.max(this.passed - (MEDIAN_REPORTS - 1) / 2, 0), last);
    const window = this.offsets.slice(first, first + MEDIAN_REPORTS).sort((a, b) => a - b);
    const half = window.length >> 1;
    const upper = window[half] as number;
    return window.length % 2 === 1 ? upper : (upper + (window[half - 1] as number)) / 2;
  }
}
