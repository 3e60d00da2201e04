/** What a source holds, short enough to be shown. */

import { gapsOf, typeOfRun } from '../catalogue/time-stretches.ts';
import { spanOf } from '../field/regions.ts';
import { radiationOf } from '../radiation/radiation.ts';
import type { SourceDescription } from '../source.ts';
import { VARIABLES } from '../variables.ts';
import type { TimeGap } from '../windows/time-gaps.ts';

export interface RunSummary {
  readonly type: SourceDescription['type'];
  /** Start of the newest forecast [ms since 1970]. */
  readonly referenceTime?: number;
  /** How many forecasts there are. */
  readonly runs: number;
  /** [ms since 1970] */
  readonly first: number;
  readonly last: number;
  /** Usual distance of times [ms]; 0 for a single one. */
  readonly stepMs: number;
  readonly gaps: readonly TimeGap[];
}

export interface SourceSummary
  extends Pick<
    SourceDescription,
    'name' | 'kind' | 'provider' | 'dataset' | 'product' | 'levels' | 'levelType'
  > {
  /** The reanalysis and the newest forecast, as far as there are any. */
  readonly runs: readonly RunSummary[];
  /** Usual distance of parallels and meridians [°]. */
  readonly resolutionDeg: readonly [latitude: number, longitude: number];
  readonly latitude: readonly [south: number, north: number];
  /** [°], west > east crosses the antimeridian; [−180, 180] is the whole circle. */
  readonly longitude: readonly [west: number, east: number];
  readonly variables: readonly string[];
  /** Variables of the models that the source lacks, and what the models do without them. */
  readonly missing: readonly { readonly variable: string; readonly consequence: string }[];
}

export function summarise(description: SourceDescription): SourceSummary {
  const { name, kind, provider, dataset, product, levels, levelType, latitude, longitude } = description;
  return {
    name,
    kind,
    provider,
    dataset,
    product,
    levels,
    levelType,
    runs: summariseRuns(description),
    resolutionDeg: [usualStep(latitude), usualStep([...longitude].sort((a, b) => a - b))],
    latitude: [latitude[0] ?? Number.NaN, latitude.at(-1) ?? Number.NaN],
    longitude: spanOf(longitude),
    variables: description.variables,
    missing: missingOf(description),
  };
}

function summariseRuns(description: SourceDescription): RunSummary[] {
  const types = ['reanalysis', 'forecast'] as const;
  return types.flatMap((type) => {
    const runs = description.runs.filter((run) => typeOfRun(description, run) === type);
    const newest = runs.at(-1);
    const [first] = newest?.times ?? [];
    if (newest === undefined || first === undefined) return [];
    return {
      type,
      ...(newest.referenceTime === undefined ? {} : { referenceTime: newest.referenceTime }),
      runs: runs.length,
      first,
      last: newest.times.at(-1) ?? first,
      stepMs: usualStep(newest.times),
      gaps: gapsOf(description, newest),
    };
  });
}

const ESTIMATED = 'reflected shortwave radiation is estimated from the surface';

/** Some variables replace each other: one height, one pair of radiation is enough; vorticity is computed as well. */
function missingOf(description: SourceDescription): SourceSummary['missing'] {
  const { variables, levelType, radiationFrom, estimatesRadiation } = description;
  const dark = radiationOf(description) === undefined && radiationFrom === undefined;
  const flat = !variables.includes('geopotential') && !variables.includes('geopotential_height');
  return VARIABLES.filter(({ name, onLevels }) => {
    if (variables.includes(name)) return false;
    if (name === 'surface_pressure') return levelType === 'model';
    if (!onLevels) return (dark || estimatesRadiation) && name.startsWith('top_net');
    if (name === 'geopotential_height' || name === 'potential_vorticity') return false;
    return name !== 'geopotential' || flat;
  }).map(({ name, withoutIt }) => {
    const isEstimated = estimatesRadiation && name.startsWith('top_net');
    return { variable: name, consequence: isEstimated ? ESTIMATED : withoutIt };
  });
}

/** The median distance of neighbours. */
export function usualStep(values: readonly number[]): number {
  const steps = values.slice(1).map((value, i) => value - (values[i] as number));
  steps.sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? 0;
}
