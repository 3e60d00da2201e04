import { InputError } from '../errors.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { wrapLongitude } from '../numerics/lerp.ts';
import { rocdFtMin } from './kinematics.ts';

/** Waypoints of a flight plan. */
export interface PlannedTrack {
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly altitudeFt: Float64Array;
}

export interface PseudoWaypointOptions {
  /** New waypoints fall on multiples of this [ms] where they can. */
  readonly resolutionMs?: number | undefined;
  /** Legs that climb or descend slower than this [ft min⁻¹] get a waypoint. */
  readonly minimumRocdFtMin?: number | undefined;
  /** Rate [ft min⁻¹] at which the change of altitude is flown instead, at the end of the leg. */
  readonly nominalRocdFtMin?: number | undefined;
}

/** Adds to a flight plan the points where slow climbs and descents would really begin. */
export function addPseudoWaypoints(track: PlannedTrack, options: PseudoWaypointOptions = {}): PlannedTrack {
  const { timeMs, longitude, latitude, altitudeFt } = track;
  requireSameLength(timeMs, longitude, latitude, altitudeFt);
  const minimum = options.minimumRocdFtMin ?? 500;
  const nominal = options.nominalRocdFtMin ?? 2000;
  if (!(nominal >= minimum)) {
    throw new InputError(`nominalRocdFtMin ${nominal} is below minimumRocdFtMin ${minimum}`, {
      nominal,
      minimum,
    });
  }
  const rows: [number, number, number, number][] = [];
  for (let i = 0; i < timeMs.length; i++) {
    const start = timeMs[i] as number;
    const end = timeMs[i + 1] as number;
    const [lon, lat, alt] = [longitude[i] as number, latitude[i] as number, altitudeFt[i] as number];
    rows.push([start, lon, lat, alt]);
    if (i + 1 === timeMs.length) break;
    const rise = (altitudeFt[i + 1] as number) - alt;
    const rocd = Math.abs(rocdFtMin(alt, altitudeFt[i + 1] as number, (end - start) / 1000));
    if (!(rocd > 0 && rocd < minimum)) continue;
    const at = climbStart(end, Math.abs(rise), minimum, nominal, options.resolutionMs ?? 60_000);
    const share = (at - start) / (end - start);
    const eastward = wrapLongitude((longitude[i + 1] as number) - lon);
    rows.push([
      wholeSeconds(at),
      wrapLongitude(lon + share * eastward),
      lat + share * ((latitude[i + 1] as number) - lat),
      alt,
    ]);
  }
  const column = (k: 0 | 1 | 2 | 3): Float64Array => Float64Array.from(rows, (row) => row[k]);
  return { timeMs: column(0), longitude: column(1), latitude: column(2), altitudeFt: column(3) };
}

/** When to begin a change of altitude that ends with the leg: snapped to the resolution unless that is too early. */
function climbStart(
  endMs: number,
  riseFt: number,
  minimum: number,
  nominal: number,
  resolutionMs: number,
): number {
  const end = wholeSeconds(endMs);
  const climbMs = (riseFt / nominal) * 60_000;
  const start = end - climbMs;
  const snapped = Math.floor(start / resolutionMs) * resolutionMs;
  return snapped <= end - climbMs * (nominal / minimum) ? start : snapped;
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
