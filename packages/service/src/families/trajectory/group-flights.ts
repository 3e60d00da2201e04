/** Which flights are evaluated together: enough of them to fill the steps of their contrails, few enough to share out. */
import { type Fleet, sharedIndex } from './fleet.ts';

const MOST_FLIGHTS = 32;
const MOST_WAYPOINTS = 8192;
/** Groups for each thread, so that none is left with the last one while the others have nothing to do. */
const GROUPS_PER_THREAD = 3;

export interface FlightGroups {
  /** Group after group. */
  readonly flights: Uint32Array<SharedArrayBuffer>;
  readonly groupEnds: Uint32Array<SharedArrayBuffer>;
}

/** Groups of flights that are in the air at about the same time, those with most waypoints first. */
export function groupFlights(
  { starts, timeMs }: Pick<Fleet, 'starts' | 'timeMs'>,
  flights: readonly number[],
  threads: number,
): FlightGroups {
  const waypointsOf = (f: number) => (starts[f + 1] as number) - (starts[f] as number);
  const most = Math.min(MOST_FLIGHTS, Math.ceil(flights.length / (GROUPS_PER_THREAD * threads)));
  const groups: { flights: number[]; waypoints: number }[] = [];
  const departureMs = (f: number) => timeMs[starts[f] as number] as number;
  for (const flight of [...flights].sort((a, b) => departureMs(a) - departureMs(b))) {
    const waypoints = waypointsOf(flight);
    const group = groups.at(-1);
    if (group === undefined || group.flights.length >= most || group.waypoints + waypoints > MOST_WAYPOINTS)
      groups.push({ flights: [flight], waypoints });
    else {
      group.flights.push(flight);
      group.waypoints += waypoints;
    }
  }
  groups.sort((a, b) => b.waypoints - a.waypoints);
  const order = sharedIndex(flights.length);
  const groupEnds = sharedIndex(groups.length);
  let end = 0;
  groups.forEach((group, g) => {
    order.set(group.flights, end);
    end += group.flights.length;
    groupEnds[g] = end;
  });
  return { flights: order, groupEnds };
}
