import { filterAltitudeFt, hasDenseReports } from '@contrails/physics/aircraft';
import { InputError } from '@contrails/physics/common';
import type { FlightWith } from '@contrails/physics/flight';
import { type ResampledFlight, resampleFlight } from '../resample.ts';

/** A leg at every whole minute. */
export interface ResampledLeg extends ResampledFlight {
  /** 1 where the reports around the minute lie more than 60 s apart. */
  readonly imputed: Uint8Array;
}

const STEP_S = 60;
const MAX_GAP_S = 60;

/**
 * Resamples a healed leg to whole minutes; altitudes of dense reports are filtered first. Returns the reason where there
 * is not a flight: no whole minute between the reports, or a track that goes round the Earth.
 */
export function resampleLeg(
  track: FlightWith<'altitudeFt'>,
  ceilingFt: number | undefined,
): ResampledLeg | 'resample_empty' | 'resample_failed' {
  const altitudeFt = hasDenseReports(track.timeMs)
    ? filterAltitudeFt(track.timeMs, track.altitudeFt)
    : track.altitudeFt;
  try {
    const resampled = resampleFlight({ ...track, altitudeFt }, { stepS: STEP_S, ceilingFt });
    if (resampled.gapS.length === 0) return 'resample_empty';
    return { ...resampled, imputed: imputedOf(resampled.gapS) };
  } catch (error) {
    if (error instanceof InputError) return 'resample_failed';
    throw error;
  }
}

function imputedOf(gapS: Float64Array): Uint8Array {
  const imputed = new Uint8Array(gapS.length);
  for (let k = 0; k < gapS.length; k++) imputed[k] = (gapS[k] as number) > MAX_GAP_S ? 1 : 0;
  return imputed;
}
