import type { FlightProblem } from '@contrails/engine/planning/answer';
import {
  isProblemName,
  makeProblem,
  type Problem,
  type ProblemKinds,
} from '@contrails/platform/http/problem';

/** Why a flight cannot be planned. */
export const planningProblems: ProblemKinds = {
  'no-cruise': {
    title: 'The flight has no cruise',
    status: 400,
    meaning:
      'A plan changes the cruise of a flight, and the flight has none: at least 5 minutes at or above 20,000 ft, with climbs and descents below 250 ft/min.',
    remedy:
      'Send more of the flight, check that altitudes are feet, or widen `from_waypoint` and `to_waypoint`.',
  },
  'outside-weather': {
    title: 'The flight is outside the weather',
    status: 400,
    meaning: 'No waypoint of the cruise lies in the weather; `detail` gives its range.',
    remedy: 'Send a flight within that range, or name another `met_source`.',
  },
};

/** The problem of one flight of a fleet, as it would be for the flight alone. */
export function describeProblem({ name, detail, errors }: FlightProblem): Problem {
  const members = errors === undefined ? {} : { errors };
  const status = name === 'not-found' ? 404 : 400;
  const own = planningProblems[name];
  const problem = own === undefined ? (isProblemName(name) ? name : 'validation') : { name, ...own };
  return makeProblem(problem, detail, '', { status, members });
}
