/** What a user should know of a flight beyond its numbers. */
import type { CocipParams, FlightTrack, PlumeTable } from '@contrails/physics/cocip';
import type { FlightContrails } from './follow-flights.ts';

export interface FlightCaveats {
  /** Sentences of the models, such as on a fuel that nobody has measured. */
  readonly notes: readonly string[];
  /** Waypoints at which the weather has everything but wind. */
  readonly windless: number;
  /** Segments too long to be followed, and how many of them begin with a persistent contrail. */
  readonly longSegments: number;
  readonly longLasting: number;
  /** 1 where a contrail persists on the only segment, which the model does not follow by itself. */
  readonly tooFew: number;
  /** Segments that no aircraft flies so fast or so slow, and the highest ground speed [m/s]. */
  readonly tooFast: number;
  readonly tooSlow: number;
  readonly fastestMS: number;
  /** Contrails that were alive when the weather ended. */
  readonly cutShort: number;
  /** When that was [ms since 1970]. */
  readonly weatherEndMs: number;
  /** Contrails that live through steps without radiation, and so without forcing. */
  readonly withoutForcing?: number;
}

/** Ground speeds of aircraft [m/s]; slower ones are only odd in cruise, where nothing takes off or lands. */
export const SPEEDS_M_S = { slowest: 45, fastest: 350, cruiseFloorM: 6096 } as const;
/** Times of dense reports are often whole seconds: a segment may have lasted so much longer or shorter [s]. */
const TIMING_S = 1;

export function countImpossibleSpeeds(
  { timeMs, altitudeM }: Pick<FlightTrack, 'timeMs' | 'altitudeM'>,
  segmentLengthM: Float64Array,
): Pick<FlightCaveats, 'tooFast' | 'tooSlow' | 'fastestMS'> {
  let [tooFast, tooSlow, fastestMS] = [0, 0, 0];
  for (let i = 0; i + 1 < timeMs.length; i++) {
    const seconds = ((timeMs[i + 1] as number) - (timeMs[i] as number)) / 1000;
    const metres = segmentLengthM[i] as number;
    const isCruise = Math.min(altitudeM[i] as number, altitudeM[i + 1] as number) > SPEEDS_M_S.cruiseFloorM;
    if (metres >= SPEEDS_M_S.fastest * (seconds + TIMING_S)) {
      tooFast++;
      fastestMS = Math.max(fastestMS, metres / seconds);
    }
    if (isCruise && metres <= SPEEDS_M_S.slowest * (seconds - TIMING_S)) tooSlow++;
  }
  return { tooFast, tooSlow, fastestMS };
}

/** What was not followed for want of waypoints. */
export function countUnfollowed(
  segmentLengthM: Float64Array,
  { persistent1 }: FlightContrails,
  { maxSegLengthM }: CocipParams,
): Pick<FlightCaveats, 'longSegments' | 'longLasting' | 'tooFew'> {
  let [longSegments, longLasting] = [0, 0];
  for (let i = 0; i < segmentLengthM.length; i++) {
    if (maxSegLengthM === null || !((segmentLengthM[i] as number) > maxSegLengthM)) continue;
    longSegments++;
    if (persistent1[i] === 1) longLasting++;
  }
  const isAlone = segmentLengthM.length === 2 && longSegments === 0 && persistent1[0] === 1;
  return { longSegments, longLasting, tooFew: isAlone ? 1 : 0 };
}

/** Counts, in the last step that the weather covers, the contrails whose next step it does not. */
export class WeatherEnd {
  cutShort = 0;
  readonly endMs: number;
  private readonly params: CocipParams;

  constructor(endMs: number, params: CocipParams) {
    this.endMs = endMs;
    this.params = params;
  }

  /** Whether the step that ends at a time is the last one that the weather covers. */
  isNear(toMs: number): boolean {
    return toMs <= this.endMs && toMs + this.params.dtIntegrationS * 1000 > this.endMs;
  }

  /** Takes the rows of the flight, `from` to `to` (not included), after the last step that the weather covers. */
  look(plumes: PlumeTable, from: number, to: number): void {
    const { dtIntegrationS, maxAgeS } = this.params;
    for (let i = from; i < to; i++) {
      if ((plumes.age[i] as number) + dtIntegrationS <= maxAgeS && plumes.energyForcing[i] !== 0)
        this.cutShort++;
    }
  }
}
