/** Radiation as means of intervals: those between the stamps of a run, and how their means follow from what is stored. */
import { HOUR_MS, SECOND_MS } from '@contrails/runtime';
import { MetError } from '../errors.ts';
import type { MetRun, SourceDescription } from '../source.ts';
import { unstoredStart } from './radiation-times.ts';

/** Plain data. The mean flux of an interval is a sum over stored fields. */
export interface RadiationInterval {
  /** [ms since 1970] */
  readonly startMs: number;
  readonly endMs: number;
  /** Weights of the fields at the stamps [W m⁻² per stored unit]. */
  readonly weights: readonly { readonly stampMs: number; readonly weight: number }[];
}

/** Whether the radiation of a source is read as means of intervals. */
export function hasIntervals({ radiationIntervals, estimatesRadiation }: SourceDescription): boolean {
  return radiationIntervals === true || estimatesRadiation === true;
}

const known = new WeakMap<MetRun, readonly RadiationInterval[]>();

/** All intervals of a run, in the order of time. */
export function intervalsOf(description: SourceDescription, run: MetRun): readonly RadiationInterval[] {
  const intervals = known.get(run) ?? findIntervals(description, run);
  known.set(run, intervals);
  return intervals;
}

function findIntervals(description: SourceDescription, run: MetRun): readonly RadiationInterval[] {
  const { radiation } = description;
  const stamps = run.radiationTimes ?? run.times;
  switch (radiation.kind) {
    case 'since-run-start':
      return differences(stamps, unstoredStart(description, run));
    case 'window-means':
      return means(stamps, run.radiationStarts ?? stamps);
    case 'past-hours': {
      const perUnit = radiation.unit === 'J m-2' ? 1 / (radiation.hours * 3600) : 1;
      return stamps.map((endMs) => ({
        startMs: endMs - radiation.hours * HOUR_MS,
        endMs,
        weights: [{ stampMs: endMs, weight: perUnit }],
      }));
    }
    case 'instantaneous':
      throw new MetError(
        'unreadable',
        `${description.name}: radiation_intervals is set, but the radiation of the files is that of instants; ` +
          'remove radiation_intervals from the source',
        { source: description.name },
      );
  }
}

/** Sums since the start of a forecast; `startMs` where nothing is stored for it. */
function differences(stamps: readonly number[], startMs: number | undefined): RadiationInterval[] {
  const all = startMs === undefined ? stamps : [startMs, ...stamps];
  return all.slice(1).map((endMs, i) => {
    const before = all[i] as number;
    const perUnit = SECOND_MS / (endMs - before);
    const end = { stampMs: endMs, weight: perUnit };
    return {
      startMs: before,
      endMs,
      weights: before === startMs ? [end] : [{ stampMs: before, weight: -perUnit }, end],
    };
  });
}

/** Means since the starts of windows, which begin anew every few hours. */
function means(stamps: readonly number[], starts: readonly number[]): RadiationInterval[] {
  return stamps.map((endMs, i) => {
    const windowMs = starts[i] as number;
    const before = stamps[i - 1] ?? Number.NEGATIVE_INFINITY;
    if (before <= windowMs) {
      return { startMs: windowMs, endMs, weights: [{ stampMs: endMs, weight: 1 }] };
    }
    const length = endMs - before;
    return {
      startMs: before,
      endMs,
      weights: [
        { stampMs: before, weight: (windowMs - before) / length },
        { stampMs: endMs, weight: (endMs - windowMs) / length },
      ],
    };
  });
}

/** Until when the radiation of a run is known [ms since 1970]. */
export function radiationEnd(description: SourceDescription, run: MetRun): number {
  const end = hasIntervals(description)
    ? intervalsOf(description, run).at(-1)?.endMs
    : (run.radiationTimes ?? run.times).at(-1);
  return end ?? Number.NEGATIVE_INFINITY;
}

export const middleOf = ({ startMs, endMs }: RadiationInterval): number => (startMs + endMs) / 2;

/** Indices of the first and last of the intervals whose middles enclose a range of times, as far as there are any. */
export function intervalsAround(
  intervals: readonly RadiationInterval[],
  [first, last]: readonly [number, number],
): readonly [from: number, to: number] {
  const from = intervals.findLastIndex((one) => middleOf(one) <= first);
  const to = intervals.findIndex((one) => middleOf(one) >= last);
  return [Math.max(from, 0), to < 0 ? intervals.length - 1 : to];
}
