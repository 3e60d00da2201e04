import { type ResampledFlight, resampleFlight } from '@contrails/flights';
import { filterAltitudeFt, hasDenseReports } from '@contrails/physics/aircraft';
import { InputError } from '@contrails/physics/common';
import { type FlightColumnName, flightOf } from '@contrails/physics/flight';
import { defineKernel } from '../compute.ts';
import { aircraftOf } from './aircraft.ts';
import { indexInRequest, type RequestFleet } from './fleet.ts';

export interface ResampleWork {
  readonly fleet: Omit<RequestFleet, 'flightId'>;
  readonly stepS: number;
  /** Whether altitudes of dense reports are filtered first. */
  readonly cleansAltitude: boolean;
  /** How many flights a block has. */
  readonly flightsPerBlock: number;
  readonly resampled: Pick<RequestFleet, 'columns' | 'offsets'> & {
    readonly reportIndex: Uint32Array<SharedArrayBuffer>;
  };
}

/** A flight that cannot be resampled, and why. */
export interface UnresampledFlight {
  readonly flight: number;
  readonly reason: string;
}

/** Each block is a few flights, which do not depend on the others; results go to their parts of the shared columns. */
export default defineKernel<ResampleWork, UnresampledFlight[]>((work) => (block, context) => {
  const { fleet, flightsPerBlock } = work;
  const first = block * flightsPerBlock;
  const end = Math.min(first + flightsPerBlock, fleet.attributes.length);
  const failed: UnresampledFlight[] = [];
  for (let flight = first; flight < end; flight++) {
    context.throwIfCancelled();
    try {
      store(work, flight, resample(work, flight));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      failed.push({ flight, reason: error.message });
    }
  }
  return failed;
});

function resample({ fleet, stepS, cleansAltitude }: ResampleWork, flight: number): ResampledFlight {
  const level = aircraftOf(fleet.attributes[flight] ?? {})?.maxFlightLevel;
  const reports = flightOf(fleet, flight);
  const isNoisy = cleansAltitude && hasDenseReports(reports.timeMs);
  const altitudeFt = isNoisy ? filterAltitudeFt(reports.timeMs, reports.altitudeFt) : reports.altitudeFt;
  return resampleFlight(
    { ...reports, altitudeFt },
    {
      stepS,
      ceilingFt: level === undefined ? undefined : 100 * level,
    },
  );
}

function store(
  { fleet, resampled }: ResampleWork,
  flight: number,
  { columns, report }: ResampledFlight,
): void {
  const start = resampled.offsets[flight] as number;
  const firstReport = fleet.offsets[flight] as number;
  for (const name of Object.keys(resampled.columns) as FlightColumnName[])
    resampled.columns[name]?.set(columns[name] ?? [], start);
  for (const [k, before] of report.entries())
    resampled.reportIndex[start + k] = indexInRequest(fleet, firstReport + before);
}
