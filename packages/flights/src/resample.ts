/** Waypoints at whole steps of the clock, from reports that may lie far apart. */
import { reportGapsS, resampleAndFill } from '@contrails/physics/aircraft';
import { feetToMetres, metresToFeet } from '@contrails/physics/common';

/** One flight by columns, in strictly increasing time. */
export interface Waypoints {
  /** [ms since 1970] */
  readonly timeMs: Float64Array;
  /** [°], −180 … 180 */
  readonly longitude: Float64Array;
  /** [°] */
  readonly latitude: Float64Array;
  /** Pressure altitude [ft]. */
  readonly altitudeFt: Float64Array;
  /** Anything else that is known along the flight; NaN where it is not. */
  readonly columns: Readonly<Record<string, Float64Array>>;
}

export interface ResampledWaypoints extends Waypoints {
  /** Index of the last report at or before each waypoint. */
  readonly report: Uint32Array;
  /** Seconds between the reports around each waypoint, 0 on a report. */
  readonly gapS: Float64Array;
}

export interface ResampleSettings {
  readonly stepS: number;
  /** Highest altitude of the aircraft type [ft]; how high a flight cruises in a long gap follows from it. */
  readonly ceilingFt?: number | undefined;
}

/** Shares of the ceiling: below the first an aircraft does not cruise, the second is taken for its cruise. */
const LOW_SHARE = 0.5;
const CRUISE_SHARE = 0.8;

/**
 * Resamples to all multiples of the step between the first and the last report. Positions follow the WGS 84 geodesic over
 * more than 100 km, altitudes climb early and descend late, other columns are linear in time and unknown beside an
 * unknown report. The result is empty where no multiple lies between the reports.
 */
export function resampleWaypoints(reports: Waypoints, settings: ResampleSettings): ResampledWaypoints {
  const { stepS, ceilingFt } = settings;
  const { timeMs, longitude, latitude, altitudeM } = resampleAndFill(
    { ...reports, altitudeM: reports.altitudeFt.map(feetToMetres), columns: undefined },
    {
      freqMs: 1000 * stepS,
      ...(ceilingFt === undefined
        ? {}
        : { lowFt: LOW_SHARE * ceilingFt, cruiseFt: CRUISE_SHARE * ceilingFt }),
    },
  );
  const report = lastReports(timeMs, reports.timeMs);
  return {
    timeMs,
    longitude,
    latitude,
    altitudeFt: altitudeM.map(metresToFeet),
    columns: Object.fromEntries(
      Object.entries(reports.columns).map(([name, values]) => [
        name,
        linearInTime(timeMs, report, reports.timeMs, values),
      ]),
    ),
    report,
    gapS: reportGapsS(timeMs, reports.timeMs),
  };
}

/** How many waypoints a flight between two times [ms since 1970] is resampled to. */
export function resampledLength(firstMs: number, lastMs: number, stepS: number): number {
  const stepMs = 1000 * stepS;
  return Math.max(Math.floor(lastMs / stepMs) - Math.ceil(firstMs / stepMs) + 1, 0);
}

function lastReports(timeMs: Float64Array, reportMs: Float64Array): Uint32Array {
  const report = new Uint32Array(timeMs.length);
  let i = 0;
  for (let k = 0; k < timeMs.length; k++) {
    while (i + 1 < reportMs.length && (reportMs[i + 1] as number) <= (timeMs[k] as number)) i++;
    report[k] = i;
  }
  return report;
}

function linearInTime(
  timeMs: Float64Array,
  report: Uint32Array,
  reportMs: Float64Array,
  values: Float64Array,
): Float64Array {
  return timeMs.map((time, k) => {
    const i = report[k] as number;
    const [before, value] = [reportMs[i] as number, values[i] as number];
    if (time === before) return value;
    const share = (time - before) / ((reportMs[i + 1] as number) - before);
    return value + share * ((values[i + 1] as number) - value);
  });
}
