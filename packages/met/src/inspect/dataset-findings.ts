/** What is wrong with a source by its description, without reading a value. */

import { HOUR_MS, isoTime } from '@contrails/runtime';
import { gapsOf } from '../catalogue/time-stretches.ts';
import type { SourceDescription } from '../source.ts';
import { findVariable } from '../variables.ts';
import { summarise, usualStep } from './summary.ts';

/** What an inspection found wrong with a source, and what to do about it. */
export interface SourceFinding {
  /** `fail`: some model cannot use the source; `warn`: its results are worse, or end sooner. */
  readonly state: 'warn' | 'fail';
  readonly message: string;
  readonly remedy: string;
  /** The variable that the source does not have, where that is what was found. */
  readonly lacks?: string;
}

export function datasetFindings(description: SourceDescription): SourceFinding[] {
  return [
    ...quarantineFindings(description),
    ...unusableFindings(description),
    ...variableFindings(description),
    ...incompleteFindings(description),
    ...unevenFindings(description),
    ...typeFindings(description),
    ...gapFindings(description),
    ...levelFindings(description),
    ...axisFindings(description),
    ...orderFindings(description),
  ];
}

function quarantineFindings({ quarantined = [] }: SourceDescription): SourceFinding[] {
  return quarantined.map(({ path, reason }) => ({
    state: 'warn',
    message: `${path} is left out: ${reason}`,
    remedy: 'replace the file; it is read again when its size or time changes, or after an hour',
  }));
}

/** So many are named: a year of files may have the same fault in each. */
const MAX_NAMED = 10;

/** A variable that no file holds is reported as such. */
function unusableFindings({ unusable = [], variables }: SourceDescription): SourceFinding[] {
  const others = unusable.filter(({ variable }) => variables.includes(variable));
  return others.slice(0, MAX_NAMED).map(({ variable, reason }, i) => ({
    state: 'warn',
    message: `${variable} is left out of a file: ${reason}${i === MAX_NAMED - 1 && others.length > MAX_NAMED ? `; and ${others.length - MAX_NAMED} more` : ''}`,
    remedy: 'correct or replace the file; until then its times are not served',
  }));
}

function variableFindings(description: SourceDescription): SourceFinding[] {
  return summarise(description).missing.map(({ variable, consequence }) => ({
    state: /no model runs|does not run|cannot/.test(consequence) ? 'fail' : 'warn',
    message: `there is no ${variable}: ${consequence}`,
    remedy: `add files that hold it (${findVariable(variable)?.aliases.slice(0, 2).join(' or ') || variable})`,
    lacks: variable,
  }));
}

/** A variable with longer steps than the others costs accuracy, one with holes costs times. */
function incompleteFindings({ incomplete, runs }: SourceDescription): SourceFinding[] {
  const times = runs.at(-1)?.times ?? [];
  const usual = usualStep(times);
  const starts = new Set(runs.map((run) => run.times[0]));
  // No interval of radiation ends when a forecast starts.
  const isStart = ({ variable, missing }: SourceDescription['incomplete'][number]) =>
    /_(radiation|flux)$/.test(variable) && missing.every((time) => starts.has(time));
  return incomplete
    .filter((one) => !isStart(one))
    .map(({ variable, missing }) => {
      const lacking = new Set(missing);
      const own = times.filter((time) => !lacking.has(time));
      const steps = new Set(own.slice(1).map((time, i) => time - (own[i] as number)));
      const [step = 0] = steps;
      if (steps.size === 1 && step > usual) {
        const hours = (ms: number) => `${ms / HOUR_MS} h`;
        return {
          state: 'warn',
          message: `${variable} is there every ${hours(step)}, other variables every ${hours(usual)}: only the times that all have in common are used, and there are gaps of ${hours(step)} between them`,
          remedy: `get ${variable} every ${hours(usual)}`,
        };
      }
      return {
        state: 'warn',
        message: `${variable} is missing at ${missing.length} times, first at ${isoTime(missing[0] as number)}`,
        remedy: 'add the files of these times; until then they are not served',
      };
    });
}

/** Levels where aircraft do not fly may be missing: many data sets have some of their variables on few of them. */
function unevenFindings({ unevenLevels = [], levels }: SourceDescription): SourceFinding[] {
  const inUse = unevenLevels
    .map(({ variable, missing }) => ({
      variable,
      missing: missing.filter((level) => level >= 50 && level <= 450),
    }))
    .filter(({ missing }) => missing.length > 0);
  return inUse.map(({ variable, missing }) => ({
    state: 'warn',
    message: `${variable} is not there on ${missing.join(', ')} hPa, which other variables have: only the ${levels.length} levels that all have in common are used`,
    remedy: `get ${variable} on the levels of the others`,
  }));
}

function typeFindings({ doubtfulType, type, product, runs }: SourceDescription): SourceFinding[] {
  const findings: SourceFinding[] = [];
  if (doubtfulType !== undefined) {
    findings.push({
      state: 'warn',
      message: `the product ${JSON.stringify(product)} is called ${doubtfulType}, but the files hold the start of a forecast and are taken for one`,
      remedy: 'set type of the source to forecast or reanalysis',
    });
  }
  if (type === 'forecast' && runs.length > 1 && runs.every(({ times }) => times.length === 1)) {
    findings.push({
      state: 'warn',
      message: `each of the ${runs.length} forecasts has a single time, as analyses have`,
      remedy: 'set type of the source to reanalysis to read them as one series',
    });
  }
  return findings;
}

/** Of many gaps the first is enough. */
function gapFindings(description: SourceDescription): SourceFinding[] {
  return description.runs.flatMap((run) => {
    const [first, ...others] = gapsOf(description, run);
    if (first === undefined) return [];
    const more = others.length === 0 ? '' : `, and in ${others.length} more gaps`;
    const of = run.referenceTime === undefined ? '' : ` of the forecast of ${isoTime(run.referenceTime)}`;
    return {
      state: 'warn',
      message: `times${of} are missing between ${isoTime(first.after)} and ${isoTime(first.before)}${more}`,
      remedy: 'add the missing times; until then requests across a gap are refused',
    } as const;
  });
}

/** Aircraft cruise between these levels, and contrails sink and drift a little beyond [hPa]. */
const CRUISE_HPA = [160, 350] as const;
/** Interpolation between levels further apart smears out layers of moist air. */
const COARSE_HPA = 60;

function levelFindings({ levels }: SourceDescription): SourceFinding[] {
  const [top = Number.POSITIVE_INFINITY, bottom = Number.NEGATIVE_INFINITY] = [levels[0], levels.at(-1)];
  const shown = `levels reach from ${top} to ${bottom} hPa`;
  if (top > CRUISE_HPA[0] || bottom < CRUISE_HPA[1]) {
    return [
      {
        state: 'warn',
        message: `${shown}, which is less than aircraft cruise in`,
        remedy: 'get at least 150 to 400 hPa; what lies outside is answered with null',
      },
    ];
  }
  const cruise = levels.filter((level) => level >= 150 && level <= 400);
  const widest = Math.max(...cruise.slice(1).map((level, k) => level - (cruise[k] as number)));
  if (widest <= COARSE_HPA) return [];
  return [
    {
      state: 'warn',
      message: `neighbouring levels in the cruise range are up to ${widest} hPa apart`,
      remedy: 'get all levels the data set offers between 150 and 400 hPa',
    },
  ];
}

function axisFindings({ latitude, longitude }: SourceDescription): SourceFinding[] {
  const meridians = [...longitude].sort((a, b) => a - b);
  const around = [...meridians, (meridians[0] ?? 0) + 360];
  return [
    ...holesOf(latitude).map(([from, to]) => holeFinding('latitudes', from, to)),
    // What a region leaves out of the circle is one hole that is none.
    ...holesOf(around)
      .sort((one, other) => other[1] - other[0] - (one[1] - one[0]))
      .slice(1)
      .map(([from, to]) => holeFinding('longitudes', from, to)),
  ];
}

function orderFindings({ unordered = [] }: SourceDescription): SourceFinding[] {
  return unordered.map(({ axis, path }) => ({
    state: 'warn',
    message: `the ${axis} axis of ${path} neither increases nor decreases`,
    remedy:
      'it is sorted when it is read, and of repeated values the first counts; check that the file is whole and what it should be',
  }));
}

function holesOf(values: readonly number[]): [from: number, to: number][] {
  const usual = usualStep(values);
  return values
    .slice(1)
    .map((to, i): [number, number] => [values[i] as number, to])
    .filter(([from, to]) => to - from > 1.5 * usual);
}

function holeFinding(axis: string, from: number, to: number): SourceFinding {
  return {
    state: 'warn',
    message: `${axis} are missing between ${from} and ${to}°`,
    remedy: 'add the missing part of the grid; interpolation across the hole is a guess',
  };
}
