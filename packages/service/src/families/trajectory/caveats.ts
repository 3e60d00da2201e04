/** What a user should know of a flight's contrails beyond their numbers. */
import type { CocipParams, PlumeTable } from '@contrails/physics/cocip';
import type { FlightContrails } from './follow-flights.ts';

export interface FlightCaveats {
  /** Sentences of the models, such as on a fuel that nobody has measured. */
  readonly notes: readonly string[];
  /** Segments too long to be followed, whose lasting contrails have no energy forcing. */
  readonly longSegments: number;
  /** Contrails that were alive when the weather ended. */
  readonly cutShort: number;
  /** When that was [ms since 1970]. */
  readonly weatherEndMs: number;
}

export function countLongSegments(
  segmentLengthM: Float64Array,
  { persistent1, energyForcing }: FlightContrails,
  { maxSegLengthM }: CocipParams,
): number {
  if (maxSegLengthM === null) return 0;
  let count = 0;
  for (let i = 0; i < segmentLengthM.length; i++) {
    const isLong = (segmentLengthM[i] as number) > maxSegLengthM;
    if (isLong && persistent1[i] === 1 && energyForcing[i] === 0) count++;
  }
  return count;
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
