/** How far a flight can be relied upon. */
import type { HealedLeg } from '../heal/heal.ts';
import { type NamedReports, namesAmong } from '../telemetry/airframe-reports.ts';
import type { TelemetryColumns } from '../telemetry/columns.ts';
import type { Violation } from '../validate.ts';
import type { ResampledLeg } from './resample-leg.ts';

/** Bits of the column `quality`. */
export const FLIGHT_QUALITY = {
  originUnknown: 1,
  destinationUnknown: 2,
  airportInferred: 4,
  departurePointAdded: 8,
  arrivalPointAdded: 16,
  climbRate: 32,
  callsignChanged: 64,
  gnssDrop: 128,
  weatherGap: 256,
  typeFromRegistry: 512,
  providerIdJoined: 1024,
  altitudeFromGnss: 2048,
  lowFlight: 4096,
} as const;

/** Lowest altitude [ft] of the weather; contrails are not looked for below it. */
export const WEATHER_FLOOR_FT = 22_664;
const GNSS_GOOD_NACP = 8;
const GNSS_BAD_NACP = 4;
const GNSS_DROP_MS = 300_000;

/** The bits that the reports of a leg decide; those of type and weather are added by the model. */
export function legQuality(
  reports: Pick<TelemetryColumns, 'timestamp' | 'callsign' | 'nacp'> & Partial<NamedReports>,
  rows: Uint32Array,
  isJoined: boolean,
  healed: Pick<HealedLeg, 'departure' | 'arrival' | 'added' | 'counts'> | undefined,
): number {
  let bits = 0;
  if (isJoined) bits |= FLIGHT_QUALITY.providerIdJoined;
  if (hasTwoCallsigns((reports.names ?? reports).callsign, namesAmong(reports, rows)))
    bits |= FLIGHT_QUALITY.callsignChanged;
  if (hasGnssDrop(reports, rows)) bits |= FLIGHT_QUALITY.gnssDrop;
  if (healed === undefined) return bits;
  const { departure, arrival, added, counts } = healed;
  if (departure.airport === undefined) bits |= FLIGHT_QUALITY.originUnknown;
  if (arrival.airport === undefined) bits |= FLIGHT_QUALITY.destinationUnknown;
  if (departure.isInferred || arrival.isInferred) bits |= FLIGHT_QUALITY.airportInferred;
  if (added.some(({ side }) => side === 'departure')) bits |= FLIGHT_QUALITY.departurePointAdded;
  if (added.some(({ side }) => side === 'arrival')) bits |= FLIGHT_QUALITY.arrivalPointAdded;
  if (counts.altitude_from_gnss > 0) bits |= FLIGHT_QUALITY.altitudeFromGnss;
  return bits;
}

/** The bits that the resampled flight decides. */
export function flightQuality({ columns }: ResampledLeg, codes: readonly Violation[]): number {
  let bits = 0;
  if (codes.includes('climb_rate')) bits |= FLIGHT_QUALITY.climbRate;
  if (!columns.altitudeFt.some((feet) => feet > WEATHER_FLOOR_FT)) bits |= FLIGHT_QUALITY.lowFlight;
  return bits;
}

export type QualityGrade = 'A' | 'B' | 'C' | 'D';

const LONG_GAP_S = 900;
const HIGH_FT = 20_000;

/** A: all of it was received. D: most of it was not, or the flight is partial. */
export function qualityGrade(
  { columns, gapS, imputed }: ResampledLeg,
  hasBothAirports: boolean,
  isPartial: boolean,
): QualityGrade {
  if (isPartial) return 'D';
  const share = imputed.reduce((count, flag) => count + flag, 0) / imputed.length;
  const hasLongGap = gapS.some((gap, i) => gap > LONG_GAP_S && (columns.altitudeFt[i] as number) > HIGH_FT);
  if (share < 0.05 && hasBothAirports && !hasLongGap) return 'A';
  if (share < 0.25) return 'B';
  return share < 0.6 ? 'C' : 'D';
}

function hasTwoCallsigns(callsign: readonly (string | null)[], rows: Uint32Array): boolean {
  let first: string | null = null;
  for (const row of rows) {
    const name = callsign[row] ?? null;
    if (name === null) continue;
    if (first !== null && name !== first) return true;
    first = name;
  }
  return false;
}

/** Positions that become inaccurate within minutes are a sign of interference. */
function hasGnssDrop({ timestamp, nacp }: Pick<TelemetryColumns, 'timestamp' | 'nacp'>, rows: Uint32Array) {
  let goodMs = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k] as number;
    const category = nacp[row] as number;
    const ms = timestamp[row] as number;
    if (category >= GNSS_GOOD_NACP) goodMs = ms;
    else if (category <= GNSS_BAD_NACP && ms - goodMs <= GNSS_DROP_MS) return true;
  }
  return false;
}
