import { MetError } from '../../errors.ts';
import { radiationConvention } from '../../radiation-convention.ts';
import type { RadiationConvention, RadiationUnit, SourceDescription } from '../../source.ts';
import { gridOf, type Holdings, heldAxes, heldVariables, holdingsOf, requireParts } from './holdings.ts';
import type { FileParts } from './layout.ts';
import type { NetcdfOptions } from './source.ts';

/** One forecast, or the re-analysis. */
export interface Run {
  readonly referenceTime?: number;
  readonly holdings: Holdings;
}

/** The runs the files belong to, newest last. */
export function runsOf(files: readonly FileParts[], targetLevels: readonly number[] | undefined): Run[] {
  const unusable = files.flatMap((file) => file.unusable);
  const byRun = Map.groupBy(
    files.flatMap((file) => file.parts),
    (part) => part.referenceTime,
  );
  return [...byRun]
    .sort(([one = 0], [other = 0]) => one - other)
    .map(([referenceTime, parts]) => ({
      ...(referenceTime === undefined ? {} : { referenceTime }),
      holdings: holdingsOf(parts, unusable, targetLevels),
    }));
}

/** What the runs hold, without reading a value of them. */
export function describeRuns(
  runs: readonly Run[],
  options: NetcdfOptions,
  generation: string,
): SourceDescription {
  const newest = runs.at(-1)?.holdings;
  const variables = newest === undefined ? [] : heldVariables(newest);
  const [first] = variables;
  if (newest === undefined || first === undefined) {
    throw newest?.unusable[0]?.reason ?? nothingHeld(runs);
  }
  const grid = gridOf(newest, [first]);
  return {
    name: options.name,
    kind: 'netcdf',
    provider: options.provider,
    dataset: options.dataset,
    product: options.product,
    type: typeOf(runs, options),
    generation,
    variables,
    levels: [...grid.level].filter((level) => level > 0),
    latitude: [...grid.latitude],
    longitude: [...grid.longitude],
    runs: runs.map(({ referenceTime, holdings }) => ({
      ...(referenceTime === undefined ? {} : { referenceTime }),
      times: timesOf(holdings),
    })),
    incomplete: incompleteVariables(newest),
    radiation: radiationOf(newest, options),
    levelType: newest.levelType,
  };
}

/** Files that carry the start of a forecast are forecasts, whatever their product is called. */
export function typeOf(runs: readonly Run[], options: NetcdfOptions): SourceDescription['type'] {
  const forecast = runs.some(({ referenceTime }) => referenceTime !== undefined);
  return forecast || /forecast/i.test(options.product) ? 'forecast' : 'reanalysis';
}

function nothingHeld(runs: readonly Run[]): MetError {
  return new MetError('missing-variable', 'the files hold none of the weather variables the models use', {
    runs: runs.length,
  });
}

/** Times at which anything is held on levels; radiation may reach an hour further without making a time of it. */
function timesOf(holdings: Holdings): number[] {
  const held = heldVariables(holdings).map((variable) => heldAxes(requireParts(holdings, variable)));
  const onLevels = held.filter(({ level }) => level.length > 0);
  const times = (onLevels.length > 0 ? onLevels : held).flatMap(({ time }) => [...time]);
  return [...new Set(times)].sort((a, b) => a - b);
}

function incompleteVariables(holdings: Holdings): SourceDescription['incomplete'] {
  const times = timesOf(holdings);
  return heldVariables(holdings)
    .map((variable) => {
      const held = new Set(heldAxes(requireParts(holdings, variable)).time);
      return { variable, missing: times.filter((time) => !held.has(time)) };
    })
    .filter(({ missing }) => missing.length > 0);
}

function radiationOf(holdings: Holdings, options: NetcdfOptions): RadiationConvention {
  const parts = [...holdings.parts.values()].flat();
  const units = new Set(parts.map((part) => part.radiationUnit).filter((unit) => unit !== undefined));
  if (units.size > 1) {
    throw new MetError(
      'unreadable',
      'some files hold radiation in J m-2, others in W m-2; keep one of them',
      {
        units: [...units],
      },
    );
  }
  const unit: RadiationUnit = units.values().next().value ?? 'J m-2';
  return radiationConvention(options, unit);
}
