/** Which quantities of aircraft and engines a request needs, and which of them a flight leaves to be computed. */

import type { GivenName } from './fields.ts';
import type { FlightGiven } from './fleet.ts';
import type { ClimateOptions } from './flight-climate.ts';
import type { Include, TrajectoryModel } from './models.ts';

/** What the performance model delivers. */
export type PerformanceNeed = 'aircraft_mass' | 'engine_efficiency' | 'fuel_flow' | 'wingspan';

export interface Needs {
  readonly performance: readonly PerformanceNeed[];
  /** Whether emission indices are used. */
  readonly emissions: boolean;
  /** Whether the flight has to be evaluated at all. */
  readonly flight: boolean;
  /** Whether wind is used where no airspeed is given. */
  readonly airspeed: boolean;
}

export function needsOf(
  model: TrajectoryModel,
  includes: readonly Include[],
  climate: Pick<ClimateOptions, 'needsCriterion'> = { needsCriterion: false },
): Needs {
  const needs = new Set<PerformanceNeed>();
  const add = (...names: PerformanceNeed[]) => names.forEach((name) => void needs.add(name));
  const hasCriterion = model === 'sac' || (model === 'accf' && climate.needsCriterion);
  if (hasCriterion) add('engine_efficiency');
  if (model === 'emissions' || includes.includes('emissions') || includes.includes('co2e')) add('fuel_flow');
  if (model === 'cocip') add('aircraft_mass', 'engine_efficiency', 'fuel_flow', 'wingspan');
  if (includes.includes('performance')) add('aircraft_mass', 'engine_efficiency', 'fuel_flow');
  const emissions = model === 'emissions' || model === 'cocip' || includes.includes('emissions');
  return {
    performance: [...needs],
    emissions,
    flight: needs.size > 0,
    airspeed: emissions || includes.includes('performance'),
  };
}

/** What of the needs the performance model has to compute for a flight. */
export function missingPerformance(
  needs: Needs,
  isGiven: (name: GivenName) => boolean,
  about: FlightGiven,
): PerformanceNeed[] {
  return needs.performance.filter((name) =>
    name === 'wingspan' ? about.wingspanM === undefined : !isGiven(name),
  );
}
