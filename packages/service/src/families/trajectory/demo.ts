import { Rejected } from '../../http/rejected.ts';
import { needsOf } from '../../trajectories/needs.ts';
import { DEFAULT_TRAJECTORY_OPTIONS } from '../../trajectories/options.ts';
import { computeTrajectories, type TrajectoryServices } from './compute.ts';
import { EXAMPLE_FLIGHT } from './examples.ts';
import { readFleet } from './read-fleet.ts';

/** Computes the sample flight, so that its weather and the code of the compute threads are ready before someone posts it. */
export async function computeSample(services: TrajectoryServices, signal: AbortSignal): Promise<void> {
  const fleet = readFleet(EXAMPLE_FLIGHT, needsOf('cocip', []));
  if (fleet instanceof Rejected) throw new TypeError('the sample flight is not a valid flight');
  const request = { model: 'cocip', fleet, options: DEFAULT_TRAJECTORY_OPTIONS, unitWarnings: [] } as const;
  await computeTrajectories(services, request, { signal });
}
