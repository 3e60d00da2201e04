/**
 * Altitudes between reports that are far apart: an aircraft climbs early, cruises level and descends late, so a
 * straight line between two reports is rarely what it flew.
 */

import { NOMINAL_CLIMB_RATE_M_S } from '../constants.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { metresToFeet } from '../units.ts';

export interface AltitudeRules {
  /** Rate of climb and descent that fills a gap [m s⁻¹]. */
  readonly nominalRocdMS?: number | undefined;
  /** Below this altitude [ft] at both ends of a long gap there was a cruise in between. */
  readonly lowFt?: number | undefined;
  /** Altitude [ft] of that cruise. */
  readonly cruiseFt?: number | undefined;
}

const MINUTE_MS = 60_000;
/** An aircraft that is low at both ends of a longer gap has cruised in between. */
const LONG_MINUTES = 60;

/** Fills unknown (NaN) altitudes [ft] between known ones in place. Times must ascend strictly. */
export function fillAltitudeFt(
  altitudeFt: Float64Array,
  timeMs: Float64Array,
  rules: AltitudeRules = {},
): void {
  requireSameLength(altitudeFt, timeMs);
  // All gaps first: corners that are set in one do not bound others.
  const ends = gapEnds(altitudeFt);
  for (let k = 0; k < ends.length; k += 2) {
    const s = ends[k] as number;
    const e = ends[k + 1] as number;
    // Level, and too short for anything else.
    const isLevel = altitudeFt[s] === altitudeFt[e];
    if (isLevel && (timeMs[e] as number) - (timeMs[s] as number) <= LONG_MINUTES * MINUTE_MS) continue;
    shapeGap(altitudeFt, timeMs, s, e, rules);
  }
  fillLinear(altitudeFt, timeMs);
}

/** Fills unknown (NaN) values between known ones linearly in time, in place; outside them they stay unknown. */
export function fillLinear(values: Float64Array, timeMs: Float64Array): void {
  let before = -1;
  for (let after = 0; after < values.length; after++) {
    if (Number.isNaN(values[after])) continue;
    if (before >= 0 && after - before > 1) {
      const from = timeMs[before] as number;
      const start = values[before] as number;
      const slope = ((values[after] as number) - start) / ((timeMs[after] as number) - from);
      for (let i = before + 1; i < after; i++) values[i] = start + slope * ((timeMs[i] as number) - from);
    }
    before = after;
  }
}

/** Index of the first time that is not before `t`; the number of times if there is none. */
export function firstNotBefore(timeMs: Float64Array, t: number): number {
  let lo = 0;
  let hi = timeMs.length;
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if ((timeMs[mid] as number) < t) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/** Indices of known neighbours with unknown values between them, one pair after the other. */
function gapEnds(values: Float64Array): number[] {
  const found: number[] = [];
  let known = -1;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    if (known >= 0 && i - known > 1) found.push(known, i);
    known = i;
  }
  return found;
}

/** Sets the corners of the profile inside one gap; the first rule that applies is the only one. */
function shapeGap(alt: Float64Array, timeMs: Float64Array, s: number, e: number, rules: AltitudeRules): void {
  const rateFtMin = metresToFeet(rules.nominalRocdMS ?? NOMINAL_CLIMB_RATE_M_S) * 60;
  const low = rules.lowFt ?? 20000;
  const cruise = rules.cruiseFt ?? 30000;
  const from = alt[s] as number;
  const to = alt[e] as number;
  const start = timeMs[s] as number;
  const end = timeMs[e] as number;
  const minutes = (end - start) / MINUTE_MS;
  const rocd = (to - from) / minutes;
  const set = (index: number, value: number): void => {
    if (index >= 0 && index < alt.length) alt[index] = value;
  };
  const setInside = (index: number, value: number): void => {
    if (index > s && index < e) alt[index] = value;
  };
  const wholeSecondsMs = (climbFt: number): number => Math.ceil((climbFt / rateFtMin) * 60) * 1000;

  if (minutes > LONG_MINUTES && from < low && to < low) {
    const climbMs = Math.ceil((cruise - from) / rateFtMin) * MINUTE_MS;
    const descentMs = Math.ceil((cruise - to) / rateFtMin) * MINUTE_MS;
    set(firstNotBefore(timeMs, start + climbMs) + 1, cruise);
    set(firstNotBefore(timeMs, end - descentMs) - 1, cruise);
  } else if (from === to) {
    return;
  } else if (minutes > 120 && Math.abs(rocd) < 500 && from > low && to > low) {
    const middle = Math.floor((s + e) / 2);
    set(middle, from);
    set(middle + 1, to);
  } else if ((minutes > 20 && rocd > 0) || (rocd > 0 && rocd < 500)) {
    setInside(firstNotBefore(timeMs, start + wholeSecondsMs(to - from)), to);
  } else if ((minutes > 20 && rocd < 0) || (rocd > -250 && rocd < 0)) {
    const index = firstNotBefore(timeMs, end - wholeSecondsMs(from - to));
    setInside(rocd > -250 ? index - 1 : index, from);
  }
}
