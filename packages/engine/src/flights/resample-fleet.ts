/** A fleet at whole steps of the clock, as `resample` asks for. */

import { resampledLength } from '@contrails/flights';
import { mapColumns } from '@contrails/physics/flight';
import { sharedFloat64, sharedUint32 } from '@contrails/runtime';
import type { FieldError } from '@contrails/runtime/errors';
import { validationError } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import { type Compute, kernelAt } from '../compute.ts';
import { LIMITS } from './fields.ts';
import { indexInRequest, type RequestFleet } from './fleet.ts';
import type { ResampleWork } from './resample.kernel.ts';

const kernel = kernelAt<typeof import('./resample.kernel.ts').default>(
  new URL('./resample.kernel.ts', import.meta.url),
);

/** A few milliseconds of work. */
const FLIGHTS_PER_BLOCK = 8;

/** Each flight is resampled by itself, so it gets what it gets alone; flights follow each other. */
export async function resampleFleet(
  fleet: RequestFleet,
  { stepS, cleansAltitude }: Pick<ResampleWork, 'stepS' | 'cleansAltitude'>,
  compute: Compute,
  signal?: AbortSignal,
): Promise<RequestFleet> {
  const counts = fleet.attributes.map((_, f) => resampledLength(...spanOf(fleet, f), stepS));
  refuse([...tooShort(fleet, counts, stepS), ...tooLong(fleet, counts, stepS)]);
  const offsets = sharedUint32(counts.length + 1);
  counts.forEach((count, f) => {
    offsets[f + 1] = (offsets[f] as number) + count;
  });
  const total = offsets.at(-1) ?? 0;
  const resampled = {
    columns: mapColumns(fleet.columns, () => sharedFloat64(total)),
    reportIndex: sharedUint32(total),
    offsets,
  };
  const { flightId: _, ...reports } = fleet;
  const failed = await compute.parallel(
    kernel,
    { fleet: reports, stepS, cleansAltitude, flightsPerBlock: FLIGHTS_PER_BLOCK, resampled },
    Math.ceil(counts.length / FLIGHTS_PER_BLOCK),
    signal === undefined ? {} : { signal },
  );
  refuse(
    failed.flat().map(({ flight, reason }) => ({
      loc: ['body', 'longitude', ...firstIndex(fleet, flight)],
      msg: `${nameOf(fleet, flight)} cannot be resampled: ${reason}`,
      type: 'value_error',
    })),
  );
  return { ...fleet, ...resampled, requestIndex: undefined, flightId: idsOf(fleet, counts) };
}

function idsOf({ flightId, attributes }: RequestFleet, counts: readonly number[]): RequestFleet['flightId'] {
  if (!Array.isArray(flightId)) return flightId;
  return attributes.flatMap(({ id }, f) =>
    id === undefined ? [] : new Array<typeof id>(counts[f] ?? 0).fill(id),
  );
}

function tooShort(fleet: RequestFleet, counts: readonly number[], stepS: number): FieldError[] {
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

function tooLong(fleet: RequestFleet, counts: readonly number[], stepS: number): FieldError[] {
  const isFleet = Array.isArray(fleet.flightId);
  const max = isFleet ? LIMITS.waypointsOfFleet : LIMITS.waypointsOfFlight;
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= max) return [];
  const what = isFleet ? 'the fleet' : 'the flight';
  const otherwise = isFleet ? 'give a larger step, or send the fleet in parts' : 'give a larger step';
  return [
    {
      loc: ['query', 'resample'],
      msg: `resample ${stepS} makes ${total} waypoints of ${what}; a request may have ${max}: ${otherwise}`,
      type: 'range',
    },
  ];
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  throw validationError(errors);
}

const spanOf = (
  { columns: { timeMs }, offsets }: RequestFleet,
  f: number,
): [firstMs: number, lastMs: number] => [
  timeMs[offsets[f] as number] as number,
  timeMs[(offsets[f + 1] as number) - 1] as number,
];

const nameOf = ({ attributes, flightId }: RequestFleet, f: number): string =>
  Array.isArray(flightId) ? `flight ${shown(attributes[f]?.id)}` : 'the flight';

const firstIndex = (fleet: RequestFleet, f: number): number[] =>
  Array.isArray(fleet.flightId) ? [indexInRequest(fleet, fleet.offsets[f] as number)] : [];
