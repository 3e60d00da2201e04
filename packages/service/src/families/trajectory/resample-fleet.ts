/** A fleet at whole steps of the clock, as `resample` asks for. */
import { type ResampledWaypoints, resampledLength, resampleWaypoints } from '@contrails/flights';
import { InputError } from '@contrails/physics';
import { type Fault, ValidationError } from '../../errors.ts';
import { MOST_FAULTS } from '../../http/rejected.ts';
import { shown } from '../../http/shown.ts';
import { aircraftOf } from './aircraft.ts';
import { LIMITS } from './fields.ts';
import {
  type Fleet,
  flightOf,
  type GivenName,
  placeInRequest,
  type SharedColumn,
  sharedColumn,
  sharedIndex,
} from './fleet.ts';

/** Each flight is resampled by itself, so that it gets what it gets alone; flights stand one after the other. */
export function resampleFleet(fleet: Fleet, stepS: number): Fleet {
  const counts = fleet.flights.map((_, f) => resampledLength(...spanOf(fleet, f), stepS));
  refuse([...tooShort(fleet, counts, stepS), ...tooLong(fleet, counts, stepS)]);
  const starts = sharedIndex(counts.length + 1);
  counts.forEach((count, f) => {
    starts[f + 1] = (starts[f] as number) + count;
  });
  const total = starts.at(-1) ?? 0;
  const columns = Object.entries(fleet.given).filter(([, value]) => typeof value !== 'number');
  const resampled = {
    timeMs: sharedColumn(total),
    longitude: sharedColumn(total),
    latitude: sharedColumn(total),
    altitudeFt: sharedColumn(total),
    reportIndex: sharedIndex(total),
    given: {
      ...fleet.given,
      ...Object.fromEntries(columns.map(([name]) => [name, sharedColumn(total)])),
    } as Fleet['given'],
  };
  const faults: Fault[] = [];
  for (const [f, about] of fleet.flights.entries()) {
    const start = starts[f] as number;
    try {
      const waypoints = resampleFlight(fleet, f, stepS, aircraftOf(about)?.maxFlightLevel);
      for (const name of ['timeMs', 'longitude', 'latitude', 'altitudeFt'] as const)
        resampled[name].set(waypoints[name], start);
      for (const [name, values] of Object.entries(waypoints.columns))
        (resampled.given[name as GivenName] as SharedColumn).set(values, start);
      for (const [k, report] of waypoints.report.entries())
        resampled.reportIndex[start + k] = placeInRequest(fleet, (fleet.starts[f] as number) + report);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      faults.push({
        loc: ['body', 'longitude', ...firstPlace(fleet, f)],
        msg: `${nameOf(fleet, f)} cannot be resampled: ${error.message}`,
        type: 'value_error',
      });
    }
  }
  refuse(faults);
  return { ...fleet, ...resampled, starts, requestIndex: undefined, flightId: idsOf(fleet, counts) };
}

function resampleFlight(
  fleet: Fleet,
  f: number,
  stepS: number,
  ceilingFl: number | undefined,
): ResampledWaypoints {
  const { timeMs, longitude, latitude, altitudeFt, given } = flightOf(fleet, f);
  const columns = Object.fromEntries(
    (Object.keys(fleet.given) as GivenName[]).flatMap((name) => {
      const values = typeof fleet.given[name] === 'number' ? undefined : given(name);
      return values === undefined ? [] : [[name, values]];
    }),
  );
  return resampleWaypoints(
    { timeMs, longitude, latitude, altitudeFt, columns },
    { stepS, ceilingFt: ceilingFl === undefined ? undefined : 100 * ceilingFl },
  );
}

function idsOf({ flightId, flights }: Fleet, counts: readonly number[]): Fleet['flightId'] {
  if (!Array.isArray(flightId)) return flightId;
  return flights.flatMap(({ id }, f) =>
    id === undefined ? [] : new Array<typeof id>(counts[f] ?? 0).fill(id),
  );
}

function tooShort(fleet: Fleet, counts: readonly number[], stepS: number): Fault[] {
  return counts.flatMap((count, f) => {
    if (count >= 2) return [];
    const [first, last] = spanOf(fleet, f);
    const left = count === 1 ? '1 waypoint' : 'no waypoint';
    return {
      loc: ['query', 'resample'],
      msg: `resample ${stepS} leaves ${left} of ${nameOf(fleet, f)}, which lasts ${(last - first) / 1000} s; give a smaller step, or leave it out`,
      type: 'range',
    };
  });
}

function tooLong(fleet: Fleet, counts: readonly number[], stepS: number): Fault[] {
  const isFleet = Array.isArray(fleet.flightId);
  const most = isFleet ? LIMITS.waypointsOfFleet : LIMITS.waypointsOfFlight;
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= most) return [];
  const what = isFleet ? 'the fleet' : 'the flight';
  const otherwise = isFleet ? 'give a larger step, or send the fleet in parts' : 'give a larger step';
  return [
    {
      loc: ['query', 'resample'],
      msg: `resample ${stepS} makes ${total} waypoints of ${what}; a request may have ${most}: ${otherwise}`,
      type: 'range',
    },
  ];
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  throw new ValidationError(faults.slice(0, MOST_FAULTS), Math.max(0, faults.length - MOST_FAULTS));
}

const spanOf = ({ timeMs, starts }: Fleet, f: number): [firstMs: number, lastMs: number] => [
  timeMs[starts[f] as number] as number,
  timeMs[(starts[f + 1] as number) - 1] as number,
];

const nameOf = ({ flights, flightId }: Fleet, f: number): string =>
  Array.isArray(flightId) ? `flight ${shown(flights[f]?.id)}` : 'the flight';

const firstPlace = (fleet: Fleet, f: number): number[] =>
  Array.isArray(fleet.flightId) ? [placeInRequest(fleet, fleet.starts[f] as number)] : [];
