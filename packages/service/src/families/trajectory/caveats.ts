/** What a user should know of a flight's contrails beyond their numbers. */
import type { CocipParams, PlumeTable } from '@contrails/physics';
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
  /** Contrails that were alive when the weather ended. */
  readonly cutShort: number;
  /** When that was [ms since 1970]. */
  readonly weatherEndMs: number;
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
