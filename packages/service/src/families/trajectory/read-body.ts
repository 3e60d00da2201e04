/** The body of a trajectory request: its flights, and the parameters of the models that it may bring along. */
import { Rejected } from '../../http/rejected.ts';
import type { RequestFleet } from '../../trajectories/fleet.ts';
import type { TrajectoryModel } from '../../trajectories/models.ts';
import type { Needs } from '../../trajectories/needs.ts';
import type { GivenParameters } from '../../trajectories/parameter-table.ts';
import { readParameters } from '../../trajectories/parameters.ts';
import { readFleet } from './read-fleet.ts';

export interface TrajectoryBody {
  readonly fleet: RequestFleet;
  readonly parameters: GivenParameters | undefined;
}

/** All that is wrong with either part is in one `Rejected`. */
export function readBody(raw: unknown, model: TrajectoryModel, needs: Needs): TrajectoryBody | Rejected {
  const fleet = readFleet(raw, needs);
  const parameters = readParameters(parametersIn(raw), model);
  const rejected = [fleet, parameters].filter((part) => part instanceof Rejected);
  if (fleet instanceof Rejected || parameters instanceof Rejected) {
    return new Rejected(
      rejected.flatMap(({ errors }) => errors),
      rejected.reduce((sum, { more }) => sum + more, 0),
    );
  }
  return { fleet, parameters };
}

function parametersIn(raw: unknown): unknown {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) && 'parameters' in raw
    ? raw.parameters
    : undefined;
}
