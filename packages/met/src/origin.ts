/** Where weather came from, and what a reader of results has to know about it. */
import { isoSecond } from '@contrails/runtime';
import type { RadiationPlan } from './cache/slab-plan.ts';
import type { Choice } from './catalogue/catalogue.ts';
import { typeOfRun } from './catalogue/time-stretches.ts';
import { CLOUD_ICE } from './field/cirrus.ts';
import type { ClimateSources } from './interpolate/climate-air.ts';
import { radiationEnd } from './radiation/intervals.ts';
import type { SourceDescription } from './source.ts';
import { findVariable } from './variables.ts';

/** Where weather came from, as responses report it. */
export interface WeatherOrigin
  extends Pick<
    SourceDescription,
    'name' | 'kind' | 'provider' | 'dataset' | 'product' | 'type' | 'generation' | 'levelType' | 'member'
  > {
  /** Start of the forecast [ms since 1970]. */
  readonly referenceTime?: number;
  /** Where radiation is from, if it was asked for: `own`, `estimated`, or another source with its run. */
  readonly radiation?: string;
  /** Lines that name the providers of the data. */
  readonly attributions: readonly string[];
  /** Of weather that was opened for `accf` or `climate`. */
  readonly climate?: ClimateSources;
  /** What a reader of the results should know about the values. */
  readonly warnings: readonly string[];
}

/** `radiation`: what is read of it, `findings`: what is doubtful about the values. */
export function originOf(
  choice: Choice,
  radiation: readonly RadiationPlan[],
  findings: readonly string[],
): WeatherOrigin {
  const { description, run } = choice;
  const { name, kind, provider, dataset, product, generation, levelType, member } = description;
  const { referenceTime } = run;
  return {
    name,
    kind,
    provider,
    dataset,
    product,
    generation,
    levelType,
    type: typeOfRun(description, run),
    ...(referenceTime === undefined ? {} : { referenceTime }),
    ...(member === undefined ? {} : { member }),
    ...(radiation.length === 0 ? {} : { radiation: describeRadiation(choice, radiation) }),
    attributions: attributionsOf(choice),
    warnings: [...caveatsOf(description, radiation), ...findings],
  };
}

function describeRadiation(
  { description, radiation: other }: Choice,
  plans: readonly RadiationPlan[],
): string {
  if (other === undefined) return description.estimatesRadiation ? 'estimated' : 'own';
  const { referenceTime } = other.run;
  const shown = [other.description.name, ...(referenceTime === undefined ? [] : [isoSecond(referenceTime)])];
  if (plans.length === 1) return shown.join(' ');
  return `${shown.join(' ')}, estimated after ${isoSecond(radiationEnd(other.description, other.run)).slice(11, 16)}`;
}

function attributionsOf({ description, radiation }: Choice): string[] {
  const lines = [description.attribution, radiation?.description.attribution];
  return [...new Set(lines.filter((line) => line !== undefined))];
}

/** The warning of results that rest on an estimate. */
export const ESTIMATED_RADIATION =
  'reflected shortwave radiation is estimated from the surface (about 10 W m⁻²)';

/** What a source cannot know, as every result that rests on it has to say. */
function caveatsOf(description: SourceDescription, radiation: readonly RadiationPlan[]): string[] {
  const { name, provider, dataset, variables } = description;
  const isGfs = /^(NOAA|NCEP)$/i.test(provider.trim()) && /^GFS$/i.test(dataset.trim());
  const isEstimated = radiation.some(({ choice }) => choice.description.estimatesRadiation);
  const lacksIce = radiation.length > 0 && !variables.includes(CLOUD_ICE);
  return [
    ...(isEstimated ? [ESTIMATED_RADIATION] : []),
    ...(lacksIce ? [`weather source ${name} has no cloud ice: ${findVariable(CLOUD_ICE)?.withoutIt}`] : []),
    ...(isGfs
      ? [
          `humidity of weather source ${name} hardly ever exceeds saturation over ice: persistent contrails are far too rare`,
        ]
      : []),
  ];
}
