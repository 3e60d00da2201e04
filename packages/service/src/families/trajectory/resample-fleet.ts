/** A fleet at whole steps of the clock, as `resample` asks for. */
import { resampledLength } from '@contrails/flights';
import { type Compute, kernelAt } from '../../compute/index.ts';
import { type Fault, ValidationError } from '../../errors.ts';
import { MAX_ERRORS } from '../../http/rejected.ts';
import { shown } from '../../http/shown.ts';
import { LIMITS } from './fields.ts';
import { type Fleet, placeInRequest, sharedColumn, sharedIndex } from './fleet.ts';

const kernel = kernelAt<typeof import('./resample.kernel.ts').default>(
  new URL('./resample.kernel.ts', import.meta.url),
);

/** A few milliseconds of work. */
const FLIGHTS_PER_BLOCK = 8;

/** Each flight is resampled by itself, so that it gets what it gets alone; flights stand one after the other. */
export async function resampleFleet(
  fleet: Fleet,
  stepS: number,
  compute: Compute,
  signal?: AbortSignal,
): Promise<Fleet> {
  const counts = fleet.flights.map((_, f) => resampledLength(...spanOf(fleet, f), stepS));
  refuse([...tooShort(fleet, counts, stepS), ...tooLong(fleet, counts, stepS)]);
  const starts = sharedIndex(counts.length + 1);
  counts.forEach((count, f) => {
    starts[f + 1] = (starts[f] as number) + count;
  });
  const total = starts.at(-1) ?? 0;
  const resampled = {
    timeMs: sharedColumn(total),
    longitude: sharedColumn(total),
    latitude: sharedColumn(total),
    altitudeFt: sharedColumn(total),
    given: Object.fromEntries(
      Object.entries(fleet.given).map(([name, value]) => [
        name,
        typeof value === 'number' ? value : sharedColumn(total),
      ]),
    ),
    reportIndex: sharedIndex(total),
    starts,
  };
  const { flightId: _, ...reports } = fleet;
  const failed = await compute.parallel(
    kernel,
    { fleet: reports, stepS, flightsPerBlock: FLIGHTS_PER_BLOCK, resampled },
    Math.ceil(counts.length / FLIGHTS_PER_BLOCK),
    signal === undefined ? {} : { signal },
  );
  refuse(
    failed.flat().map(({ flight, reason }) => ({
      loc: ['body', 'longitude', ...firstPlace(fleet, flight)],
      msg: `${nameOf(fleet, flight)} cannot be resampled: ${reason}`,
      type: 'value_error',
    })),
  );
  return { ...fleet, ...resampled, requestIndex: undefined, flightId: idsOf(fleet, counts) };
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
  throw new ValidationError(faults.slice(0, MAX_ERRORS), Math.max(0, faults.length - MAX_ERRORS));
}

const spanOf = ({ timeMs, starts }: Fleet, f: number): [firstMs: number, lastMs: number] => [
  timeMs[starts[f] as number] as number,
  timeMs[(starts[f + 1] as number) - 1] as number,
];

const nameOf = ({ flights, flightId }: Fleet, f: number): string =>
  Array.isArray(flightId) ? `flight ${shown(flights[f]?.id)}` : 'the flight';

const firstPlace = (fleet: Fleet, f: number): number[] =>
  Array.isArray(fleet.flightId) ? [placeInRequest(fleet, fleet.starts[f] as number)] : [];
