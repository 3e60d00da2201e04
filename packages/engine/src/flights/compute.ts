/** A request about flights, from weather to answer; the same for HTTP, jobs and the command line. */
import type { Met, OpenWeather, WeatherOrigin } from '@contrails/met';
import { InputError } from '@contrails/physics/common';
import type { Reserve } from '@contrails/runtime';
import { ValidationError } from '@contrails/runtime/errors';
import { inTurns } from '@contrails/runtime/turns';
import type { Compute } from '../compute.ts';
import {
  describeScaling,
  ENSEMBLE_SCALING,
  scalingForLevels,
  scalingForMember,
} from '../weather/humidity-scaling.ts';
import { type Answered, type Computed, makeAnswer } from './answer.ts';
import type { RequestFleet } from './fleet.ts';
import {
  groupOfMember,
  type MemberPass,
  memberPasses,
  requireCalibrated,
  resolveMembers,
} from './members.ts';
import { planWeather, requireInside, type WeatherGroup, withWeather } from './plan-weather.ts';
import { type TrajectoryRequest, withUnitWarnings } from './prepare-request.ts';
import { emptyResult, type RunServices, runFlightsInto, sharesRadiation } from './run.ts';
import type { FlightSamples } from './sample-runs.ts';
import { emptySamples, sampleFlightInto } from './samples.ts';
import { requireSampleable } from './uncertainty.ts';

export interface TrajectoryServices {
  readonly met: { open(): Promise<Met> };
  readonly compute: Compute;
  /** A service that other work shares asks before it takes memory; a command does not. */
  readonly reserve?: Reserve;
}

export type ComputeHooks = Pick<RunServices, 'signal' | 'onProgress' | 'onComputeMs'>;

export async function computeTrajectories(
  services: TrajectoryServices,
  request: TrajectoryRequest,
  hooks: ComputeHooks,
): Promise<Answered> {
  return inTurns(makeAnswer(await computeResults(services, request, hooks)));
}

/** What an answer is made of. */
export async function computeResults(
  services: TrajectoryServices,
  request: TrajectoryRequest,
  hooks: ComputeHooks,
): Promise<Computed> {
  const lease = await services.reserve?.('flights', bytesOf(request), hooks.signal);
  try {
    return await compute(services, request, hooks);
  } catch (error) {
    throw withUnitWarnings(error, request);
  } finally {
    lease?.release();
  }
}

/** Numbers of a waypoint in the columns of a fleet, in what threads make of them and in an answer. */
const NUMBERS_PER_WAYPOINT = 100;
const NUMBER_BYTES = 8;

/** Approximate memory of a request's flights, excluding weather [bytes]. */
function bytesOf({ fleet, options }: TrajectoryRequest): number {
  const samples = options.uncertainty?.samples ?? 0;
  return NUMBER_BYTES * fleet.columns.timeMs.length * (NUMBERS_PER_WAYPOINT + samples);
}

async function compute(
  { met: lazyMet, compute: threads }: TrajectoryServices,
  { model, fleet, options, unitWarnings }: TrajectoryRequest,
  hooks: ComputeHooks,
): Promise<Computed> {
  const met = await lazyMet.open();
  const result = emptyResult(model, fleet, options);
  const origins = new Array<WeatherOrigin | undefined>(fleet.attributes.length).fill(undefined);
  const groups = await planWeather(met, model, fleet, options);
  const uncertainty = options.uncertainty && (await resolveMembers(met, groups, options.uncertainty));
  const isEnsembleScaled = options.scaling.name === ENSEMBLE_SCALING;
  if (uncertainty !== undefined && isEnsembleScaled) requireCalibrated(uncertainty);
  if (uncertainty !== undefined) requireSampleable(uncertainty.samples, fleet.columns.timeMs.length);
  const passes = uncertainty === undefined ? [WITHOUT_SAMPLES] : memberPasses(uncertainty);
  const progress = sharedProgress(fleet, passes.length, hooks.onProgress);
  const sampled = new Array<FlightSamples | undefined>(fleet.attributes.length).fill(undefined);
  const run = async (
    group: WeatherGroup,
    weather: OpenWeather | undefined,
    { member, samples }: MemberPass,
    isNominal: boolean,
  ) => {
    if (weather !== undefined) requireInside(fleet, group.flights, weather);
    const scaling = scalingForMember(
      weather === undefined ? options.scaling : scalingForLevels(options.scaling, weather.origin.levelType),
      // Quantiles of a whole ensemble are those of its members in their order.
      member !== undefined && isEnsembleScaled ? uncertainty?.metMembers?.indexOf(member) : member,
    );
    requireScaling(scaling);
    const onProgress = progress(group.flights);
    const ofGroup = { ...options, scaling };
    const services = { ...hooks, compute: threads, weather };
    if (isNominal) {
      for (const flight of group.flights) origins[flight] = weather?.origin;
      const reported = uncertainty === undefined ? { ...services, onProgress } : services;
      await runFlightsInto(result, model, fleet, group.flights, ofGroup, reported);
    }
    if (uncertainty === undefined || weather === undefined) return;
    for (const [done, flight] of group.flights.entries()) {
      const into = sampled[flight] ?? emptySamples(fleet, flight, uncertainty);
      sampled[flight] = into;
      await sampleFlightInto(into, fleet, flight, ofGroup, uncertainty, samples, weather, {
        ...services,
        onProgress: onProgress && ((fraction) => onProgress((done + fraction) / group.flights.length)),
      });
    }
  };
  const isDivisible = !sharesRadiation(options);
  if (!isDivisible) requireOneWeather(groups);
  // One member after the other: only one at a time takes of the memory for weather.
  for (const [p, pass] of passes.entries()) {
    for (const group of groups) {
      const use = (part: WeatherGroup, weather: OpenWeather | undefined) => run(part, weather, pass, p === 0);
      await withWeather(
        met,
        groupOfMember(group, pass.member, isEnsembleScaled ? uncertainty?.metMembers : []),
        hooks.signal,
        use,
        isDivisible,
      );
    }
  }
  return { model, fleet, options, unitWarnings, result, origins, uncertainty, sampled };
}

const WITHOUT_SAMPLES: MemberPass = { member: undefined, samples: [] };

/** Some scalings have no coefficients for some levels and ways to interpolate. */
export function requireScaling(scaling: TrajectoryRequest['options']['scaling']): void {
  try {
    describeScaling(scaling);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const msg = `${error.message}; choose another humidity_scaling, level_type or interpolation_q_method`;
    throw new ValidationError([{ loc: ['query', 'humidity_scaling'], msg, type: 'value_error' }]);
  }
}

/** Flights whose contrails share the radiation have to see the same weather. */
function requireOneWeather(groups: readonly WeatherGroup[]): void {
  if (groups.length < 2) return;
  const msg = `contrail_contrail_overlapping needs all flights in one weather source and run, and these are in ${groups.length}; choose one with met_source, or send the flights of each alone`;
  throw new ValidationError([
    { loc: ['body', 'parameters', 'contrail_contrail_overlapping'], msg, type: 'value_error' },
  ]);
}

/** Groups come in turn, in every pass; each reports its share by its waypoints. */
function sharedProgress(
  { offsets, columns: { timeMs } }: RequestFleet,
  passes: number,
  onProgress: ((fraction: number) => void) | undefined,
): (flights: readonly number[]) => ((fraction: number) => void) | undefined {
  let before = 0;
  return (flights) => {
    const waypoints = flights.reduce(
      (sum, f) => sum + (offsets[f + 1] as number) - (offsets[f] as number),
      0,
    );
    const all = passes * timeMs.length;
    const start = before / all;
    before += waypoints;
    return onProgress && ((fraction) => onProgress(start + (fraction * waypoints) / all));
  };
}
