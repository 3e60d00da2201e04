import { geopotentialOfHeight } from '@contrails/physics/atmosphere';
import { CIRRUS_OPTICAL_DEPTH, iceToCirrus } from '../field/cirrus.ts';
import type { MetField } from '../field/field.ts';
import { findingsOfField, type ValueFinding } from '../field/plausibility.ts';

/** A field as read, and the remaining work on it; plain data for a thread. */
export interface UnfinishedWeather {
  /** The variables of the models, with cloud ice instead of the optical depth of cirrus. */
  readonly field: MetField;
  /** What was read in the place of each of them. */
  readonly stored: readonly string[];
  /** Whether that ice is there. */
  readonly hasIce: boolean;
  /** Indices of variables that the source lacks; another variable fills them. */
  readonly absent: readonly number[];
  /** Heights on the same grid, where they are stored. */
  readonly heights: MetField | undefined;
  /** [hPa], with the level below the field, where there is one: the lowest layer has its depth from it. */
  readonly levels: Float64Array;
}

/** Turns ice into cirrus, heights into geopotential and missing variables into gaps, in place. Returns what is wrong with the values that were read. */
export function finishWeather({
  field,
  stored,
  hasIce,
  absent,
  heights,
  levels,
}: UnfinishedWeather): ValueFinding[] {
  const findings = [
    ...findingsOfField({ ...field, variables: stored }),
    ...(heights === undefined ? [] : findingsOfField(heights)),
  ];
  for (const variable of absent) overwrite(field, variable, Number.NaN);
  const height = stored.indexOf('geopotential_height');
  if (height >= 0) convert(field, height, geopotentialOfHeight);
  const cirrus = field.variables.indexOf(CIRRUS_OPTICAL_DEPTH);
  if (cirrus < 0) return findings;
  if (hasIce) iceToCirrus(field, cirrus, heights, levels);
  else overwrite(field, cirrus, 0);
  return findings;
}

function convert({ variables, slabs }: MetField, variable: number, change: (value: number) => number): void {
  const stride = variables.length;
  for (const slab of slabs) {
    for (let at = variable; at < slab.length; at += stride) slab[at] = change(slab[at] as number);
  }
}

function overwrite({ variables, slabs }: MetField, variable: number, value: number): void {
  const stride = variables.length;
  for (const slab of slabs) {
    for (let at = variable; at < slab.length; at += stride) slab[at] = value;
  }
}
