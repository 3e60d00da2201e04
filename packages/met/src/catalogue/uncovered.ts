import { isoTime } from '@contrails/runtime';
import { MetError, type MetErrorKind } from '../errors.ts';
import type { WeatherRequest } from '../request.ts';
import type { CatalogueEntry, SourceDescription } from '../source.ts';
import { type Coverage, coverageOf, type Shortcoming } from './coverage.ts';
import { missingVariables, variablesRead } from './needed-variables.ts';
import { commonTimes, gapsOf } from './time-stretches.ts';

/** No source has what a request needs: the error lists what they have instead. */
export function uncovered(entries: readonly CatalogueEntry[], request: WeatherRequest): MetError {
  if (entries.length === 0) {
    return new MetError(
      'outside',
      'no weather source is configured; add one under met.sources, or use --demo',
    );
  }
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && 'error' in only && only.error instanceof MetError) {
    return only.error;
  }
  const served = entries.map(
    (
      entry,
    ): { name: string; message: string; short?: Shortcoming | 'unusable'; times?: readonly string[] } =>
      'error' in entry
        ? { name: entry.source.name, message: `cannot be read (${sentence(entry.error)})` }
        : { name: entry.source.name, ...servedBy(entry.description, request) },
  );
  return new MetError(
    kindOf(entries, served),
    `no weather covers ${shownRequest(request)}: ${served.map(({ name, message }) => `${name} ${message}`).join('; ')}`,
    {
      asked: {
        time: request.time.map(isoTime),
        level: request.level,
        latitude: request.latitude,
        longitude: request.longitude,
        ...(request.referenceTime === undefined ? {} : { referenceTime: isoTime(request.referenceTime) }),
      },
      served,
    },
  );
}

/** An unreadable source might cover the request; a variable that no source has is missing at any time and place. */
function kindOf(
  entries: readonly CatalogueEntry[],
  served: readonly { readonly short?: Shortcoming | 'unusable' }[],
): MetErrorKind {
  const [first] = entries;
  if (first !== undefined && entries.every((entry) => 'error' in entry)) {
    return 'error' in first && first.error instanceof MetError ? first.error.kind : 'unavailable';
  }
  const all = (...reasons: readonly (Shortcoming | 'unusable' | undefined)[]) =>
    served.every(({ short }) => reasons.includes(short));
  if (all('variables')) return 'missing-variable';
  return all('variables', 'unusable') ? 'unreadable' : 'outside';
}

function servedBy(
  description: SourceDescription,
  request: WeatherRequest,
): { message: string; short: Shortcoming | 'unusable'; times?: readonly string[] } {
  const lacking = missingVariables(description, request.for);
  if (lacking.length > 0) {
    const { unusable = [] } = description;
    const reasons = lacking.flatMap(
      (name) => unusable.find(({ variable }) => variable === name)?.reason ?? [],
    );
    const why = reasons.length === 0 ? '' : ` that can be used (${reasons.join('; ')})`;
    return {
      message: `has no ${lacking.join(', ')}${why}`,
      short: reasons.length === 0 ? 'variables' : 'unusable',
    };
  }
  const runs = description.runs.filter(
    (run) => request.referenceTime === undefined || run.referenceTime === request.referenceTime,
  );
  const [first] = runs;
  if (first === undefined) {
    const starts = description.runs.flatMap(({ referenceTime }) => referenceTime ?? []);
    const range = starts.length === 0 ? 'no forecasts' : `forecasts of ${shownRange(starts)}`;
    return { message: `has ${range}`, short: 'time' };
  }
  const shortcomings = runs.map((run) => shortcomingOf(coverageOf(description, run, request)));
  if (shortcomings.includes('level')) {
    return { message: `has ${shownEnds(description.levels)} hPa`, short: 'level' };
  }
  if (shortcomings.includes('area')) {
    return {
      message: `has latitudes ${shownEnds(description.latitude)}, longitudes ${shownEnds(description.longitude)}`,
      short: 'area',
    };
  }
  const series = runs.map((run) => ({ run, times: commonTimes(description, run, request.for) }));
  const times = series.flatMap(({ times }) => times.filter((_, k) => k === 0 || k === times.length - 1));
  if (times.length === 0) {
    return {
      message: `has no time at which all variables are there${shownLacks(description, request)}`,
      short: 'time',
    };
  }
  const gaps = series.flatMap(({ run, times }) => gapsOf(description, run, times));
  const [from, to] = request.time;
  const gap = gaps.find(({ after, before }) => after < to && before > from) ?? gaps[0];
  const holes =
    gap === undefined ? '' : ` with gaps, such as between ${isoTime(gap.after)} and ${isoTime(gap.before)}`;
  return {
    message: `has ${shownRange(times)}${holes}${shownLacks(description, request)}`,
    short: 'time',
    times: [isoTime(Math.min(...times)), isoTime(Math.max(...times))],
  };
}

/** Variables that are not there at all times, in brackets. */
function shownLacks(description: SourceDescription, { for: use }: WeatherRequest): string {
  const read = variablesRead(description, use);
  const lacks = description.incomplete
    .filter(({ variable }) => read.includes(variable))
    .map(
      ({ variable, missing }) =>
        `${variable} is missing at ${missing.length} times, first at ${isoTime(missing[0] as number)}`,
    );
  return lacks.length === 0 ? '' : ` (${lacks.join('; ')})`;
}

/** What of a request is not all there, the nearest reason first. */
function shortcomingOf(coverage: Coverage | Shortcoming): Shortcoming {
  if (typeof coverage === 'string') return coverage;
  if (!coverage.level) return 'level';
  return coverage.area ? 'time' : 'area';
}

function shownRequest({ time, level, latitude, longitude, referenceTime }: WeatherRequest): string {
  const run = referenceTime === undefined ? '' : ` of the forecast of ${isoTime(referenceTime)}`;
  return (
    `${shownRange(time)}${run}, ${shownEnds(level)} hPa, ` +
    `latitudes ${shownEnds(latitude)}, longitudes ${shownEnds(longitude)}`
  );
}

function shownRange(times: readonly number[]): string {
  const [first, last] = [Math.min(...times), Math.max(...times)].map(isoTime);
  return first === last ? `${first}` : `${first} to ${last}`;
}

function shownEnds(values: readonly number[]): string {
  const shown = (value: number | undefined) => String(Number(value?.toFixed(2)));
  return `${shown(values[0])} to ${shown(values.at(-1))}`;
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
