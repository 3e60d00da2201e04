import type { FlightProblem } from '@contrails/engine/planning/answer';
import { isProblemName, makeProblem, type Problem } from '@contrails/platform/http/problem';

/** The problem of one flight of a fleet, as it would be for the flight alone. */
export function describeProblem({ name, detail, errors }: FlightProblem): Problem {
  const members = errors === undefined ? {} : { errors };
  const status = name === 'not-found' ? 404 : 400;
  return makeProblem(isProblemName(name) ? name : 'validation', detail, '', { status, members });
}
