/** Waypoints at whole steps of the clock, from reports that may lie far apart. */
import { reportGapsS, resampleAndFill } from '@contrails/physics/aircraft';
import { feetToMetres, metresToFeet } from '@contrails/physics/common';
import { type FlightWith, mapColumns } from '@contrails/physics/flight';

export interface ResampledFlight {
  readonly columns: FlightWith<'altitudeFt'>;
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
export function resampleFlight(
  reports: FlightWith<'altitudeFt'>,
  settings: ResampleSettings,
): ResampledFlight {
  const { stepS, ceilingFt } = settings;
  // Metres and levels would contradict the altitude that is made for a gap.
  const {
    timeMs: reportMs,
    longitude,
    latitude,
    altitudeFt,
    altitudeM: _,
    levelHpa: __,
    ...others
  } = reports;
  const { timeMs, altitudeM, ...position } = resampleAndFill(
    {
      timeMs: reportMs,
      longitude,
      latitude,
      altitudeM: convertInto(new Float64Array(altitudeFt.length), altitudeFt, feetToMetres),
    },
    {
      freqMs: 1000 * stepS,
      ...(ceilingFt === undefined
        ? {}
        : { lowFt: LOW_SHARE * ceilingFt, cruiseFt: CRUISE_SHARE * ceilingFt }),
    },
  );
  const report = lastReports(timeMs, reportMs);
  return {
    columns: {
      ...mapColumns(others, (values) => linearInTime(timeMs, report, reportMs, values)),
      ...position,
      timeMs,
      altitudeFt: convertInto(altitudeM, altitudeM, metresToFeet),
    },
    report,
    gapS: reportGapsS(timeMs, reportMs),
  };
}

/** How many waypoints a flight between two times [ms since 1970] is resampled to. */
export function resampledLength(firstMs: number, lastMs: number, stepS: number): number {
  const stepMs = 1000 * stepS;
  return Math.max(Math.floor(lastMs / stepMs) - Math.ceil(firstMs / stepMs) + 1, 0);
}

function convertInto(
  out: Float64Array,
  values: Float64Array,
  convert: (value: number) => number,
): Float64Array {
  for (let i = 0; i < out.length; i++) out[i] = convert(values[i] as number);
  return out;
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
