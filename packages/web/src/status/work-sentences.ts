/** What the service works on, in words. */
import type { ForecastRuns, FrameList, InventoryDates, ServiceStatus } from '@contrails/client';
import { dateText, timeText } from '../text.ts';

export interface WorkSentence {
  readonly family: string;
  /** Goes on from the name of the family. */
  readonly text: string;
  readonly state: 'none' | 'ready' | 'working' | 'failed';
}

const MINUTE_MS = 60_000;
/** A guess from so old a start is useless. */
const MAX_AGE_MS = 12 * 60 * MINUTE_MS;

/** `Forecast of 12 UTC: 31 of 59 hours ready, about 20 minutes left` */
export function forecastSentence({ runs }: ForecastRuns, nowMs: number): WorkSentence {
  const family = 'Forecast';
  const [run] = runs;
  if (run === undefined) return { family, text: 'begins with the next weather run', state: 'none' };
  const hours = Map.groupBy(
    run.aircraft_classes.flatMap((one) => one.hours),
    ({ time }) => time,
  );
  const states = [...hours.values()].map((some) => some.map(({ state }) => state));
  const ready = states.filter((some) => some.every((state) => state === 'published')).length;
  const failed = states.filter((some) => some.includes('failed')).length;
  const isWorking = states.some((some) => some.some((state) => state === 'running' || state === 'planned'));
  const ageMs = nowMs - Date.parse(run.planned);
  const leftMs = ready === 0 ? Number.NaN : (ageMs / ready) * (states.length - ready - failed);
  const left = isWorking && ageMs < MAX_AGE_MS && leftMs > 0 ? `, ${durationText(leftMs)} left` : '';
  const lost = failed === 0 ? '' : `, ${failed} failed`;
  const start = run.forecast_reference_time;
  return {
    family,
    text: `of ${start.slice(11, 13)} UTC on ${dateText(start)}: ${ready} of ${states.length} hours ready${lost}${left}`,
    state: failed > 0 ? 'failed' : isWorking ? 'working' : 'ready',
  };
}

/** `about 20 minutes` */
export function durationText(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS);
  if (minutes <= 1) return 'about a minute';
  if (minutes < 90) return `about ${minutes > 10 ? 5 * Math.round(minutes / 5) : minutes} minutes`;
  return `about ${Math.round(minutes / 60)} hours`;
}

export function inventorySentence({ dates }: InventoryDates): WorkSentence {
  const family = 'Inventory';
  const served = dates.filter((one) => one.served);
  const open = dates.filter(({ state }) => state !== 'published');
  const newest = served.at(-1);
  const ready =
    newest === undefined
      ? 'No day is ready yet; a day is computed when its telemetry is complete'
      : `${served.length} ${served.length === 1 ? 'day' : 'days'} ready, the newest ${dateText(newest.date)}`;
  const next = open.at(-1);
  const what = next === undefined ? '' : `. ${dateText(next.date)} is ${next.state}: ${next.message}`;
  const state = open.length > 0 ? 'working' : newest === undefined ? 'none' : 'ready';
  return { family, text: `${ready}${what}`, state };
}

export function telemetrySentence({ telemetry }: Pick<ServiceStatus, 'telemetry'>): WorkSentence {
  const family = 'Telemetry';
  if (telemetry === null)
    return {
      family,
      text: 'No hour is ready yet; the manual shows how to connect a receiver',
      state: 'none',
    };
  return {
    family,
    text: `Hours from ${timeText(telemetry.first)} to ${timeText(telemetry.last)} are ready`,
    state: 'ready',
  };
}

export function framesSentence({ satellite, frames }: FrameList): WorkSentence {
  const family = 'Satellites';
  if (satellite === null) return { family, text: 'No satellite is configured', state: 'none' };
  if (frames.length === 0)
    return { family, text: `No image of ${satellite} of the last day yet`, state: 'none' };
  const served = frames.filter(({ levels }) => levels.length > 0);
  const waiting = frames.filter(({ state }) => state === 'queued' || state === 'collecting').length;
  const unusable = frames.filter(({ state }) => state === 'quarantined');
  const newest = served.at(-1);
  const reasons = [...new Set(unusable.map(({ reason }) => (reason ?? 'unknown').replaceAll('-', ' ')))];
  return {
    family,
    text: [
      `Images of ${satellite}: ${served.length} of the last day ready`,
      newest === undefined ? '' : `, the newest of ${timeText(newest.time)}`,
      waiting === 0 ? '' : `, ${waiting} waiting`,
      unusable.length === 0 ? '' : `, ${unusable.length} cannot be used (${reasons.join(', ')})`,
    ].join(''),
    state: unusable.length > 0 ? 'failed' : waiting > 0 ? 'working' : 'ready',
  };
}

export interface Failure {
  readonly kind: string;
  readonly error: string;
  readonly count: number;
  readonly ended: string | null;
  readonly remedy: string;
}

const REMEDIES: Readonly<Record<string, string>> = {
  forecast: 'The next weather run is planned again by itself. To try now: contrails jobs retry ID.',
  inventory:
    'Compute the day again with contrails inventory run --date DATE, which goes on where it stopped.',
  observations: 'Frames are tried again when their files change. To try now: contrails jobs retry ID.',
  telemetry: 'Check the source with contrails doctor; its hours are built again when reports arrive.',
  weather: 'Check the network and the disk with contrails doctor; the next look is by itself.',
};

/** Failures of the same kind and reason together, newest first. */
export function failuresOf({ jobs: { failed } }: Pick<ServiceStatus, 'jobs'>): readonly Failure[] {
  const groups = Map.groupBy(failed, ({ kind, error }) => `${kind} ${error}`);
  return [...groups.values()].flatMap((some) => {
    const [newest] = some;
    if (newest === undefined) return [];
    const { kind, error, ended, id } = newest;
    const remedy =
      REMEDIES[kind.split('.')[0] ?? ''] ??
      'Look for the cause with contrails doctor, then: contrails jobs retry ID.';
    return [{ kind, error, count: some.length, ended, remedy: remedy.replace('ID', id) }];
  });
}
