/** The samples of a Monte Carlo run of one flight, on threads. */
import { sharedFloat64 } from '@contrails/runtime';
import { kernelAt } from '../compute.ts';
import { plainWeather, type SharedWeather } from './air.ts';
import type { RequestFleet } from './fleet.ts';
import type { TrajectoryOptions } from './options.ts';
import type { RunServices } from './run.ts';
import { type FlightSamples, prepareSamples, RUNS_AT_ONCE, type SampleWork } from './sample-runs.ts';
import { MAX_KEPT_WAYPOINTS, type UncertaintyOptions, variantsOf } from './uncertainty.ts';

const kernel = kernelAt<typeof import('./samples.kernel.ts').default>(
  new URL('./samples.kernel.ts', import.meta.url),
);

/** Room for all samples of a flight. */
export function emptySamples(
  { offsets }: Pick<RequestFleet, 'offsets'>,
  flight: number,
  uncertainty: UncertaintyOptions,
): FlightSamples {
  const waypoints = (offsets[flight + 1] as number) - (offsets[flight] as number);
  const { samples } = uncertainty;
  const variants = variantsOf(uncertainty);
  return {
    samples,
    variants,
    totals: sharedFloat64(samples * variants.length),
    persistentM: sharedFloat64(samples),
    energyForcing: samples * waypoints > MAX_KEPT_WAYPOINTS ? undefined : sharedFloat64(samples * waypoints),
  };
}

/** Runs the chosen samples of a flight in this weather. */
export async function sampleFlightInto(
  result: FlightSamples,
  { flightId: _, ...fleet }: RequestFleet,
  flight: number,
  options: TrajectoryOptions,
  uncertainty: UncertaintyOptions,
  chosen: readonly number[],
  weather: SharedWeather,
  { compute, signal, onProgress, onComputeMs }: RunServices,
): Promise<void> {
  const work: SampleWork = {
    ...result,
    ...{ options, uncertainty, fleet, flight, chosen },
    weather: plainWeather(weather),
  };
  const blocks = Math.ceil((chosen.length * result.variants.length) / RUNS_AT_ONCE);
  if (compute === undefined) {
    const run = prepareSamples(work);
    for (let block = 0; block < blocks; block++) run(block, () => signal?.throwIfAborted());
    return;
  }
  await compute.parallel(kernel, work, blocks, {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(onComputeMs === undefined ? {} : { onComputeMs }),
  });
}

/** All samples of a flight in one weather. */
export async function sampleFlight(
  fleet: RequestFleet,
  flight: number,
  options: TrajectoryOptions,
  uncertainty: UncertaintyOptions,
  weather: SharedWeather,
  services: RunServices,
): Promise<FlightSamples> {
  const result = emptySamples(fleet, flight, uncertainty);
  const all = Array.from({ length: uncertainty.samples }, (_, sample) => sample);
  await sampleFlightInto(result, fleet, flight, options, uncertainty, all, weather, services);
  return result;
}
