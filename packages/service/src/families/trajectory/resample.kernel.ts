import { type ResampledWaypoints, resampleWaypoints } from '@contrails/flights';
import { InputError } from '@contrails/physics/common';
import { defineKernel } from '../../compute/index.ts';
import { aircraftOf } from './aircraft.ts';
import { type Fleet, flightOf, type GivenName, placeInRequest, type SharedColumn } from './fleet.ts';

export interface ResampleWork {
  readonly fleet: Omit<Fleet, 'flightId'>;
  readonly stepS: number;
  /** How many flights a block has. */
  readonly flightsPerBlock: number;
  readonly resampled: Pick<
    Required<Fleet>,
    'timeMs' | 'longitude' | 'latitude' | 'altitudeFt' | 'given' | 'starts'
  > & { readonly reportIndex: Uint32Array<SharedArrayBuffer> };
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
  const end = Math.min(first + flightsPerBlock, fleet.flights.length);
  const failed: UnresampledFlight[] = [];
  for (let flight = first; flight < end; flight++) {
    context.throwIfCancelled();
    try {
      store(work, flight, resampleFlight(work, flight));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      failed.push({ flight, reason: error.message });
    }
  }
  return failed;
});

function resampleFlight({ fleet, stepS }: ResampleWork, flight: number): ResampledWaypoints {
  const { timeMs, longitude, latitude, altitudeFt, about, given } = flightOf(fleet, flight);
  const columns = Object.fromEntries(
    (Object.keys(fleet.given) as GivenName[]).flatMap((name) => {
      const values = typeof fleet.given[name] === 'number' ? undefined : given(name);
      return values === undefined ? [] : [[name, values]];
    }),
  );
  const level = aircraftOf(about)?.maxFlightLevel;
  return resampleWaypoints(
    { timeMs, longitude, latitude, altitudeFt, columns },
    { stepS, ceilingFt: level === undefined ? undefined : 100 * level },
  );
}

function store({ fleet, resampled }: ResampleWork, flight: number, waypoints: ResampledWaypoints): void {
  const start = resampled.starts[flight] as number;
  const firstReport = fleet.starts[flight] as number;
  for (const name of ['timeMs', 'longitude', 'latitude', 'altitudeFt'] as const)
    resampled[name].set(waypoints[name], start);
  for (const [name, values] of Object.entries(waypoints.columns))
    (resampled.given[name as GivenName] as SharedColumn).set(values, start);
  for (const [k, report] of waypoints.report.entries())
    resampled.reportIndex[start + k] = placeInRequest(fleet, firstReport + report);
}
