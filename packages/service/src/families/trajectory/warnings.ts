/** What a user should know of an answer beyond its numbers, as sentences that name flights, numbers and the remedy. */
import { DEFAULT_COCIP_PARAMS } from '@contrails/physics/cocip';
import { shown } from '../../http/shown.ts';
import type { FlightCaveats } from './caveats.ts';
import type { Fleet } from './fleet.ts';

/** So many flights are named, the others counted: a header has little room. */
const MOST_NAMED = 5;

interface Concerned {
  readonly flight: number;
  /** How many of its segments or contrails. */
  readonly count: number;
}

/** `caveats` has those of each flight of the fleet. */
export function warningsOf(
  fleet: Pick<Fleet, 'flights' | 'flightId'>,
  caveats: readonly (FlightCaveats | undefined)[],
): string[] {
  const concerned = (count: (of: FlightCaveats) => number): Concerned[] =>
    caveats.flatMap((of, flight) =>
      of !== undefined && count(of) > 0 ? [{ flight, count: count(of) }] : [],
    );
  const ends = new Set(
    caveats.flatMap((of) => (of !== undefined && of.cutShort > 0 ? [of.weatherEndMs] : [])),
  );
  return [
    ...longSegments(
      fleet,
      concerned((of) => of.longSegments),
    ),
    ...[...ends].flatMap((endMs) =>
      cutShort(
        fleet,
        endMs,
        concerned((of) => (of.weatherEndMs === endMs ? of.cutShort : 0)),
      ),
    ),
    ...new Set(caveats.flatMap((of) => of?.notes ?? [])),
  ];
}

function longSegments(fleet: Pick<Fleet, 'flights' | 'flightId'>, concerned: readonly Concerned[]): string[] {
  if (concerned.length === 0) return [];
  const km = (DEFAULT_COCIP_PARAMS.maxSegLengthM ?? Number.NaN) / 1000;
  return [
    `${amount(concerned, 'segment')} with a lasting contrail${of(fleet, concerned)}: longer than ${km} km, ` +
      'which the model does not follow, so the energy forcing there is 0; send waypoints one or two minutes apart, ' +
      'for example by Flight.resample_and_fill("1min") of pycontrails',
  ];
}

function cutShort(
  fleet: Pick<Fleet, 'flights' | 'flightId'>,
  endMs: number,
  concerned: readonly Concerned[],
): string[] {
  const time = new Date(endMs).toISOString().replace('.000Z', 'Z');
  return [
    `${amount(concerned, 'contrail')}${of(fleet, concerned)}: still there when the weather ends at ${time}, ` +
      'so the energy forcing and age are too small; ask again when later weather has come',
  ];
}

function amount(concerned: readonly Concerned[], what: string): string {
  const total = concerned.reduce((sum, { count }) => sum + count, 0);
  return `${total} ${what}${total === 1 ? '' : 's'}`;
}

/** ` of flight a`, or ` (flight a: 3, flight b: 1, and 7 more flights)`. */
function of(
  { flights, flightId }: Pick<Fleet, 'flights' | 'flightId'>,
  concerned: readonly Concerned[],
): string {
  const nameOf = ({ flight }: Concerned) => shown(flights[flight]?.id);
  if (flightId === undefined) return '';
  const [only] = concerned;
  if (concerned.length === 1 && only !== undefined) return ` of flight ${nameOf(only)}`;
  const named = concerned.slice(0, MOST_NAMED).map((one) => `flight ${nameOf(one)}: ${one.count}`);
  const others = concerned.length - named.length;
  return ` (${[...named, ...(others > 0 ? [`and ${others} more flights`] : [])].join(', ')})`;
}
