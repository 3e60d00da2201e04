/** Which of the configured sources serves a request. */

import { isoTime } from '@contrails/runtime';
import { MetError } from '../errors.ts';
import { radiationEnd } from '../radiation/intervals.ts';
import { radiationOf } from '../radiation/radiation.ts';
import type { WeatherRequest } from '../request.ts';
import type { CatalogueEntry, MetRun, MetSource, SourceDescription } from '../source.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { looksAtRadiation } from './needed-variables.ts';
import { typeOfRun } from './time-stretches.ts';
import { uncovered } from './uncovered.ts';

/** The source and run for a request, and what of the request they cover. */
export interface Choice {
  readonly source: MetSource;
  readonly description: SourceDescription;
  readonly run: MetRun;
  readonly coverage: Coverage;
  /** Where radiation is taken from: the source itself unless given. */
  readonly radiation?: RadiationChoice;
}

/** A run of a source whose radiation is used. */
export type RadiationChoice = Pick<Choice, 'source' | 'description' | 'run'>;

export interface Catalogue {
  /** All sources in the order of the configuration. */
  list(): Promise<readonly CatalogueEntry[]>;
  /**
   * The best for a request. A run that has all of the time and area goes before one that has a part, where a part will
   * do at all; then one that also has the useful time beyond; then reanalysis before forecasts, sources in the order
   * of the configuration, and the newest of a source's forecasts.
   */
  choose(request: WeatherRequest): Promise<Choice>;
  /** Has a source described again on its next use. */
  forget(source: MetSource): void;
}

/** How long a description counts as current [ms]: new files are found after this, and few requests wait for it. */
const FRESH_MS = 5_000;

export function createCatalogue(
  sources: readonly MetSource[],
  freshMs = FRESH_MS,
  now: () => number = () => performance.now(),
): Catalogue {
  const looks = new Map<MetSource, { readonly atMs: number; readonly entry: Promise<CatalogueEntry> }>();

  const look = (source: MetSource): Promise<CatalogueEntry> => {
    const known = looks.get(source);
    if (known !== undefined && now() - known.atMs < freshMs) return known.entry;
    const entry = source.describe().then(
      (description): CatalogueEntry => ({ source, description }),
      (error: unknown): CatalogueEntry => ({ source, error }),
    );
    looks.set(source, { atMs: now(), entry });
    return entry;
  };

  const membersOf = async (
    entries: readonly CatalogueEntry[],
    member: number | undefined,
  ): Promise<readonly CatalogueEntry[]> => {
    if (member === undefined) return entries;
    const found = entries.map((entry) => {
      if ('error' in entry || entry.description.member === member) return entry;
      const other = entry.description.members?.includes(member) ? entry.source.ofMember?.(member) : undefined;
      return other === undefined ? [] : look(other);
    });
    const all = (await Promise.all(found)).flat();
    if (all.length > 0) return all;
    throw new MetError('outside', `no weather source has the ensemble member ${member}`, { member });
  };

  return {
    list: () => Promise.all(sources.map(look)),
    forget: (source) => looks.delete(source),
    async choose(request) {
      const asked = request.source === undefined ? sources : [named(sources, request.source)];
      const entries = await membersOf(await Promise.all(asked.map(look)), request.member);
      const choices = entries.flatMap((entry) => ('error' in entry ? [] : choicesOf(entry, request)));
      const [first, ...others] = [
        ...choices.filter(({ description, run }) => typeOfRun(description, run) === 'reanalysis'),
        ...choices.filter(({ description, run }) => typeOfRun(description, run) === 'forecast'),
      ].filter(({ coverage }) => request.partial || isWhole(coverage));
      if (first === undefined) throw uncovered(entries, request);
      const best = others.reduce(
        (best, one) => (gradeOf(one.coverage) > gradeOf(best.coverage) ? one : best),
        first,
      );
      const { radiationFrom } = best.description;
      if (!looksAtRadiation(request.for) || radiationFrom === undefined) return best;
      const radiation = radiationChoice(best, await look(named(sources, radiationFrom)));
      return radiation === undefined ? best : { ...best, radiation };
    },
  };
}

function named(sources: readonly MetSource[], name: string): MetSource {
  const source = sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  const names = sources.map((one) => one.name);
  throw new MetError(
    'unknown-source',
    `there is no weather source ${name}; ${names.length === 0 ? 'none is configured' : `choose from ${names.join(', ')}`}`,
    { source: name, sources: names },
  );
}

/** The runs of a source that have something of a request, newest first. */
function choicesOf(
  { source, description }: Extract<CatalogueEntry, { description: SourceDescription }>,
  request: WeatherRequest,
): Choice[] {
  return description.runs
    .filter(
      ({ referenceTime }) => request.referenceTime === undefined || referenceTime === request.referenceTime,
    )
    .map((run) => ({ source, description, run, coverage: coverageOf(description, run, request) }))
    .filter((choice): choice is Choice => typeof choice.coverage === 'object')
    .reverse();
}

/**
 * The run of another source whose radiation is used: the one that starts with the weather, else the newest that starts no
 * later than the time asked for and has radiation then. None where there is no such run and the source has radiation itself.
 */
function radiationChoice(
  { description, run, coverage }: Choice,
  entry: CatalogueEntry,
): RadiationChoice | undefined {
  const [timeMs = Number.NaN] = coverage.times;
  const canDo = radiationOf(description) !== undefined;
  if ('error' in entry) {
    if (canDo) return undefined;
    throw entry.error;
  }
  const other = entry.description;
  const isDark = radiationOf(other) === undefined;
  const covers = (one: MetRun) =>
    (one.referenceTime ?? Number.NEGATIVE_INFINITY) <= timeMs && radiationEnd(other, one) >= timeMs;
  const runs = isDark || isMixture(description, run, other) ? [] : other.runs.filter(covers);
  const found = runs.find(({ referenceTime }) => referenceTime === run.referenceTime) ?? runs.at(-1);
  if (found !== undefined) return { source: entry.source, description: other, run: found };
  if (canDo) return undefined;
  throw new MetError(
    'outside',
    `${description.name} takes its radiation from ${other.name}, which has none at ${isoTime(timeMs)}; get it with "contrails met sync ${other.name}", or set estimate_radiation`,
    { source: description.name, radiationFrom: other.name, time: isoTime(timeMs) },
  );
}

/** Radiation of a reanalysis serves a reanalysis alone, that of a forecast a forecast. */
function isMixture(description: SourceDescription, run: MetRun, other: SourceDescription): boolean {
  return other.runs.some((one) => typeOfRun(other, one) !== typeOfRun(description, run));
}

const isWhole = ({ time, area, level }: Coverage): boolean => time && area && level;

const gradeOf = ({ time, area, useful, level }: Coverage): number =>
  8 * Number(time) + 4 * Number(area) + 2 * Number(useful) + Number(level);
