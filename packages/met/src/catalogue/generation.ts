import { createHash } from 'node:crypto';
import { HOUR_MS } from '@contrails/runtime';
import { MetError } from '../errors.ts';
import { hasIntervals } from '../radiation/intervals.ts';
import { radiationTimes } from '../radiation/radiation-times.ts';
import type { MetRun, SourceDescription } from '../source.ts';
import type { Choice } from './catalogue.ts';

/**
 * Names the data behind some times of a run, and how they are read. The generation of a source changes with every file that
 * arrives; this one changes only when a file changes that holds one of the times, so what was computed from the first hours
 * of a run stays valid while the others arrive.
 */
export function generationOfTimes(
  description: SourceDescription,
  run: MetRun,
  times: readonly number[],
): string {
  const { name, provider, dataset, product, levels, levelType, radiation } = description;
  const { radiationIntervals = false, estimatesRadiation = false } = description;
  const hash = createHash('sha256').update(
    JSON.stringify([
      name,
      [provider, dataset, product],
      [levels, levelType, radiation, ...(radiationIntervals || estimatesRadiation ? ['intervals'] : [])],
      run.referenceTime ?? null,
      run.files === undefined ? description.generation : filesOf(description, run, run.files, times),
    ]),
  );
  return hash.digest('hex').slice(0, 32);
}

/** The generation of the weather that a choice reads. */
export function generationOfChoice({ description, run, coverage, radiation: other }: Choice): string {
  const own = generationOfTimes(description, run, coverage.times);
  if (other === undefined) return own;
  const ofRadiation = generationOfTimes(other.description, other.run, coverage.times);
  return createHash('sha256').update(`${own} ${ofRadiation}`).digest('hex').slice(0, 32);
}

function filesOf(
  description: SourceDescription,
  run: MetRun,
  files: NonNullable<MetRun['files']>,
  times: readonly number[],
): string[] {
  const range = [times[0] ?? Number.NaN, times.at(-1) ?? Number.NaN] as const;
  const stamps = radiationStamps(description, run, times);
  const radiation = [
    Math.min(range[0], stamps[0] ?? range[0]),
    Math.max(range[1], stamps.at(-1) ?? range[1]),
  ];
  return files
    .filter((file) => {
      const [first = Number.NaN, last = Number.NaN] = file.onLevels ? range : radiation;
      return file.times[0] <= last && file.times[1] >= first;
    })
    .map(({ generation }) => generation)
    .sort();
}

/** Where the sun is low, the albedo of an interval is that of another one, at most so far away. */
const NEIGHBOUR_MS = 12 * HOUR_MS;

/** None where the run has no radiation near these times: a request that needs it is refused when the weather is opened. */
function radiationStamps(
  description: SourceDescription,
  run: MetRun,
  times: readonly number[],
): readonly number[] {
  if (hasIntervals(description)) {
    const [first = Number.NaN, last = first] = [times[0], times.at(-1)];
    return [first - NEIGHBOUR_MS, last + NEIGHBOUR_MS];
  }
  try {
    return radiationTimes(description, run, times);
  } catch (error) {
    if (error instanceof MetError && error.kind === 'missing-time') return [];
    throw error;
  }
}
