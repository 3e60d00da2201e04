/** A request about flights, from weather to answer; the same for HTTP, jobs and the command line. */
import type { Met, OpenWeather, WeatherOrigin } from '@contrails/met';
import type { Compute } from '../../compute/index.ts';
import type { RequestFleet } from '../../trajectories/fleet.ts';
import {
  planWeather,
  requireInside,
  type WeatherGroup,
  withWeather,
} from '../../trajectories/plan-weather.ts';
import { emptyResult, type RunServices, runFlightsInto } from '../../trajectories/run.ts';
import type { FlightSamples } from '../../trajectories/sample-runs.ts';
import { sampleFlight } from '../../trajectories/samples.ts';
import { scalingForLevels } from '../../weather/humidity-scaling.ts';
import { type Answered, makeAnswer } from './answer.ts';
import { type TrajectoryRequest, withUnitWarnings } from './prepare-request.ts';

export interface TrajectoryServices {
  readonly met: { open(): Promise<Met> };
  readonly compute: Compute;
}

export type ComputeHooks = Pick<RunServices, 'signal' | 'onProgress' | 'onComputeMs'>;

export async function computeTrajectories(
  services: TrajectoryServices,
  request: TrajectoryRequest,
  hooks: ComputeHooks,
): Promise<Answered> {
  try {
    return await compute(services, request, hooks);
  } catch (error) {
    throw withUnitWarnings(error, request.unitWarnings);
  }
}

async function compute(
  { met: lazyMet, compute: threads }: TrajectoryServices,
  { model, fleet, options, unitWarnings }: TrajectoryRequest,
  hooks: ComputeHooks,
): Promise<Answered> {
  const met = await lazyMet.open();
  const result = emptyResult(model, fleet, options);
  const origins = new Array<WeatherOrigin | undefined>(fleet.attributes.length).fill(undefined);
  const progress = sharedProgress(fleet, hooks.onProgress);
  const { uncertainty } = options;
  const sampled = new Array<FlightSamples | undefined>(fleet.attributes.length).fill(undefined);
  const run = async (group: WeatherGroup, weather: OpenWeather | undefined) => {
    if (weather !== undefined) requireInside(fleet, group.flights, weather);
    const scaling =
      weather === undefined ? options.scaling : scalingForLevels(options.scaling, weather.origin.levelType);
    for (const flight of group.flights) origins[flight] = weather?.origin;
    const onProgress = progress(group.flights);
    const ofGroup = { ...options, scaling };
    const services = { ...hooks, compute: threads, weather };
    if (uncertainty === undefined || weather === undefined) {
      await runFlightsInto(result, model, fleet, group.flights, ofGroup, { ...services, onProgress });
      return;
    }
    await runFlightsInto(result, model, fleet, group.flights, ofGroup, services);
    for (const [done, flight] of group.flights.entries()) {
      sampled[flight] = await sampleFlight(fleet, flight, ofGroup, uncertainty, weather, {
        ...services,
        onProgress: onProgress && ((fraction) => onProgress((done + fraction) / group.flights.length)),
      });
    }
  };
  for (const group of await planWeather(met, model, fleet, options))
    await withWeather(met, group, hooks.signal, run);
  return makeAnswer({ model, fleet, options, unitWarnings, result, origins, sampled });
}

/** Groups come one after the other; each reports its share by its waypoints. */
function sharedProgress(
  { offsets, columns: { timeMs } }: RequestFleet,
  onProgress: ((fraction: number) => void) | undefined,
): (flights: readonly number[]) => ((fraction: number) => void) | undefined {
  let before = 0;
  return (flights) => {
    const waypoints = flights.reduce(
      (sum, f) => sum + (offsets[f + 1] as number) - (offsets[f] as number),
      0,
    );
    const start = before / timeMs.length;
    before += waypoints;
    return onProgress && ((fraction) => onProgress(start + (fraction * waypoints) / timeMs.length));
  };
}
