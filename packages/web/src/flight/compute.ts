/** Has the service compute a flight and what surrounds it. */

import { service } from '../service.ts';
import type { FlightInput } from '../track.ts';
import { type CrossSection, crossSection, sectionBody, sectionPoints } from './cross-section.ts';
import { requestBody } from './flight.ts';
import { type FlightPlan, flightPlan } from './plan.ts';
import { type PlanSettings, planQuery, SAMPLES } from './plan-settings.ts';
import { type FlightResult, flightResult, type ResultPoint } from './result.ts';
import { type FoundRoutes, foundRoutes, SEARCH } from './routes.ts';

export interface ComputeOptions {
  readonly signal: AbortSignal;
  /** Runs as a job of the service, and reports its progress 0…1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/** What is assumed of a flight whose source names no type. */
export const FALLBACK_TYPE = 'A320';

/** The flight at whole minutes with everything that the view shows. */
export async function computeFlight(
  flight: FlightInput,
  { signal, onProgress }: ComputeOptions,
): Promise<FlightResult> {
  const body = requestBody({ ...flight, aircraftType: flight.aircraftType ?? FALLBACK_TYPE });
  const answer = await service.trajectory.cocip(body, {
    resample: 60,
    include: ['performance', 'emissions', 'met', 'co2e', 'contrail'],
    signal,
    background: onProgress !== undefined,
    ...(onProgress && { onProgress: ({ fraction }: { fraction: number }) => onProgress(fraction) }),
  });
  return flightResult(flight, answer);
}

/** The climate balance of the flight: CO2, contrails, NOx and water vapour. */
export async function computeClimate(flight: FlightInput, efficacy: boolean, signal: AbortSignal) {
  const body = requestBody({ ...flight, aircraftType: flight.aircraftType ?? FALLBACK_TYPE });
  const { climate } = await service.trajectory.cocip(body, {
    resample: 60,
    include: ['climate'],
    efficacy,
    background: false,
    signal,
  });
  if (climate === undefined || Array.isArray(climate)) throw new Error('the service returned no balance');
  return climate;
}

/** What other levels would have done, and the best profile; of the flight as it was given, as the command line plans it. */
export async function planFlight(
  { flight }: FlightResult,
  settings: PlanSettings,
  signal: AbortSignal,
): Promise<FlightPlan> {
  const body = { ...requestBody(flight), aircraft_type: flight.aircraftType ?? FALLBACK_TYPE };
  const answer = await service.planning.profile(body, {
    ...planQuery(settings),
    uncertainty: SAMPLES,
    include: ['waypoints'],
    signal,
  });
  if ('flights' in answer) throw new Error('the service planned a fleet');
  return flightPlan(answer, settings);
}

/** Other routes between the ends of its cruise, with the front of fuel against contrails. */
export async function searchRoutes(
  { flight }: FlightResult,
  settings: PlanSettings,
  signal: AbortSignal,
): Promise<FoundRoutes> {
  const body = { ...requestBody(flight), aircraft_type: flight.aircraftType ?? FALLBACK_TYPE };
  const search = { ...SEARCH, flight_levels: [...SEARCH.flight_levels] };
  const query = { ...planQuery(settings), ...search, front: 'verified' as const };
  const answer = await service.planning.route({ flight: body }, { ...query, background: false, signal });
  return foundRoutes(answer, settings);
}

/** Humidity and formation above and below the path. */
export async function loadCrossSection(
  points: readonly ResultPoint[],
  signal: AbortSignal,
): Promise<CrossSection> {
  const chosen = sectionPoints(points);
  const answer = await service.trajectory.sac(sectionBody(chosen), {
    include: ['met'],
    background: false,
    signal,
  });
  return crossSection(chosen, answer);
}
