/** Which flights are evaluated together: enough of them to fill the steps of their contrails, few enough to share out. */
import { sharedIndex } from './fleet.ts';

const MAX_FLIGHTS = 32;
const MAX_WAYPOINTS = 8192;
/** Of the flights that are left, a thread takes one share of so many for each thread. */
const SHARES_PER_THREAD = 2;

interface FleetTimes {
  readonly offsets: Uint32Array;
  readonly columns: { readonly timeMs: Float64Array };
}

export interface FlightGroups {
  /** Group after group. */
  readonly flights: Uint32Array<SharedArrayBuffer>;
  readonly groupEnds: Uint32Array<SharedArrayBuffer>;
}

/**
 * Groups of flights that are in the air at about the same time. Groups get smaller towards the end, so that no thread is
 * left with a large one when the others have nothing to do any more.
 */
export function groupFlights(
  { offsets, columns: { timeMs } }: FleetTimes,
  flights: readonly number[],
  threads: number,
): FlightGroups {
  const departureMs = (f: number) => timeMs[offsets[f] as number] as number;
  const waypointsOf = (f: number) => (offsets[f + 1] as number) - (offsets[f] as number);
  const order = sharedIndex(flights.length);
  order.set([...flights].sort((a, b) => departureMs(a) - departureMs(b)));
  const ends: number[] = [];
  for (let start = 0; start < order.length; ) {
    const share =
      threads === 1 ? order.length : Math.ceil((order.length - start) / (SHARES_PER_THREAD * threads));
    const most = Math.min(share, MAX_FLIGHTS);
    let end = start;
    let waypoints = 0;
    do {
      waypoints += waypointsOf(order[end] as number);
      end++;
    } while (
      end < Math.min(start + most, order.length) &&
      waypoints + waypointsOf(order[end] as number) <= MAX_WAYPOINTS
    );
    ends.push(end);
    start = end;
  }
  const groupEnds = sharedIndex(ends.length);
  groupEnds.set(ends);
  return { flights: order, groupEnds };
}
