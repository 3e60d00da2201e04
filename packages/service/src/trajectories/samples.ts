/** The samples of a Monte Carlo run of one flight, on threads. */
import { sharedFloat64 } from '@contrails/runtime';
import { kernelAt } from '../compute/index.ts';
import type { RequestFleet } from './fleet.ts';
import type { SharedWeather } from './flight-block.ts';
import type { TrajectoryOptions } from './options.ts';
import type { RunServices } from './run.ts';
import { type FlightSamples, prepareSamples, RUNS_AT_ONCE, type SampleWork } from './sample-runs.ts';
import { MAX_KEPT_WAYPOINTS, type UncertaintyOptions, variantsOf } from './uncertainty.ts';

const kernel = kernelAt<typeof import('./samples.kernel.ts').default>(
  new URL('./samples.kernel.ts', import.meta.url),
);

export async function sampleFlight(
  { flightId: _, ...fleet }: RequestFleet,
  flight: number,
  options: TrajectoryOptions,
  uncertainty: UncertaintyOptions,
  weather: SharedWeather,
  { compute, signal, onProgress, onComputeMs }: RunServices,
): Promise<FlightSamples> {
  const waypoints = (fleet.offsets[flight + 1] as number) - (fleet.offsets[flight] as number);
  const { samples } = uncertainty;
  const variants = variantsOf(uncertainty);
  const result: FlightSamples = {
    samples,
    variants,
    totals: sharedFloat64(samples * variants.length),
    persistentM: sharedFloat64(samples),
    energyForcing: samples * waypoints > MAX_KEPT_WAYPOINTS ? undefined : sharedFloat64(samples * waypoints),
  };
  const work: SampleWork = {
    ...result,
    options,
    uncertainty,
    fleet,
    flight,
    // Only what is plain data: the weather itself has functions, which no thread can be sent.
    weather: { levels: weather.levels, radiation: weather.radiation },
  };
  const blocks = Math.ceil(result.totals.length / RUNS_AT_ONCE);
  if (compute === undefined) {
    const run = prepareSamples(work);
    for (let block = 0; block < blocks; block++) run(block, () => signal?.throwIfAborted());
    return result;
  }
  await compute.parallel(kernel, work, blocks, {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(onComputeMs === undefined ? {} : { onComputeMs }),
  });
  return result;
}
