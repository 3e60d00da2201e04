/** Tracks through the full models: profiles along a route, and a track as it is, also under samples of what is uncertain. */
import { Rejected, validationError } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import { requireMember } from '../flights/members.ts';
import { computePlans, type PlanningHooks, type PlanningServices } from '../planning/compute.ts';
import { type FlightPlan, isCutShort } from '../planning/conclude.ts';
import type { Answer } from '../planning/describe-flight.ts';
import type { PlanningOptions } from '../planning/options.ts';
import { planningRequestOf, readPlanningBody } from '../planning/read-body.ts';
import type { RouteBody, RouteOptions, SecondWeather } from './request.ts';
import type { FlightTrack } from './track.ts';

export interface RouteRequest {
  readonly body: RouteBody;
  readonly route: RouteOptions;
}

/** Model results for a track. */
export interface VerifiedTrack {
  readonly plan: Answer;
  /** Whether the weather ends before many of the contrails do. */
  readonly isCutShort: boolean;
  /** Energy forcing of the track itself that is paid for in each sample [J]; undefined without samples. */
  readonly sampledJ: Float64Array | undefined;
}

export interface Verifier {
  /** The cheapest levels along a track, and the track itself as the first row. */
  profile(track: FlightTrack, planning?: PlanningOptions): Promise<VerifiedTrack>;
  /** The track alone. */
  asFlown(track: FlightTrack): Promise<VerifiedTrack>;
  /** The track alone under samples of what is uncertain; the same draws for every track. */
  sampled(track: FlightTrack): Promise<VerifiedTrack>;
  /** The same in another weather. */
  in(weather: SecondWeather): Promise<Verifier>;
}

export function openVerifier(
  services: PlanningServices,
  { body, route }: RouteRequest,
  massKg: number,
  hooks: PlanningHooks,
): Verifier {
  const { uncertainty, ...certain } = route.planning;
  const alone: PlanningOptions = { ...certain, kind: 'levels', flightLevels: [], shiftsFt: [] };
  const run = async (track: FlightTrack, planning: PlanningOptions): Promise<VerifiedTrack> => {
    const read = finish(readPlanningBody({ ...body.aircraft, ...track, takeoff_mass: massKg }));
    if (read instanceof Rejected) throw validationError(read.errors);
    const plans: FlightPlan[] = [];
    const plan = await computePlans(services, planningRequestOf(read, planning, route.options), {
      signal: hooks.signal,
      onComputeMs: hooks.onComputeMs,
      onPlan: (one) => plans.push(one),
    });
    const [found] = plans;
    const [first] = found?.rows ?? [];
    return {
      plan,
      isCutShort: found !== undefined && [first, found.chosen].some((row) => row && isCutShort(row)),
      sampledJ: first && found?.samples.get(first)?.paidJ,
    };
  };
  return {
    profile: (track, planning = certain) => run(track, planning),
    asFlown: (track) => run(track, alone),
    sampled: (track) => run(track, uncertainty === undefined ? alone : { ...alone, uncertainty }),
    async in({ source, member, referenceTimeMs }) {
      if (member !== undefined) await requireMember(await services.met.open(), source, member, 'verify_with');
      const options = {
        ...{ ...route.options, metSource: source },
        ...(member === undefined ? {} : { metMember: member }),
        ...(referenceTimeMs === undefined ? {} : { metReferenceTimeMs: referenceTimeMs }),
      };
      return openVerifier(services, { body, route: { ...route, options } }, massKg, hooks);
    },
  };
}

/** The same cost of fuel and time without any of contrails. */
export function withoutContrails(
  { uncertainty: _, ...planning }: PlanningOptions,
  eiCo2: number,
): PlanningOptions {
  const { fuelPrice, costIndex, carbonPrice } = planning.prices;
  const withCarbon = fuelPrice + (carbonPrice * eiCo2) / 1000;
  return {
    ...planning,
    prices: {
      ...planning.prices,
      ...{ fuelPrice: withCarbon, carbonPrice: 0 },
      costIndex: withCarbon > 0 ? (costIndex * fuelPrice) / withCarbon : 0,
    },
  };
}
