/** Everything that the flights of a day are computed from. Equal inputs give equal files. */
import { createHash } from 'node:crypto';
import { exclusionsOf } from '@contrails/engine/inventory/leg-record';
import { MODELING_VERSION } from '@contrails/engine/modeling-version';
import { LEG_COLUMNS, SEGMENT_COLUMNS, SUMMARY_COLUMNS } from '@contrails/flights/inventory';
import { generationOfTimes, type Met } from '@contrails/met';
import type { Queryable } from '@contrails/platform/database/database';
import { DAY_MS, HOUR_MS, hourOf, isoHour } from '@contrails/runtime';
import { airframesHash } from '../../../inventory-store/airframes.ts';
import type { InventoryConfig } from '../../../inventory-store/config.ts';
import { telemetryRules } from '../../../telemetry-store/config.ts';
import { importsVersion } from '../../../telemetry-store/imports.ts';
import { type HourRecord, listHours } from '../../../telemetry-store/table.ts';
import { telemetryWindow } from '../flights/build-shard.ts';

/** Raised when legs, tables or the files between them come out differently from the same inputs; their columns count too. */
const PIPELINE = {
  version: 4,
  columns: [LEG_COLUMNS, SUMMARY_COLUMNS, SEGMENT_COLUMNS].map((table) =>
    table.map(({ name, type }) => `${name} ${type}`),
  ),
};
/** Contrails of the last flight of a day end by then: 19 h of flight, 12 h of contrail, and what closes the last hour. */
const WEATHER_MS = DAY_MS + 32.5 * HOUR_MS;

export interface DayInputs {
  /** Generation of each published hour, and up to when hours are complete [ms since 1970]; null: forever. */
  readonly telemetry: Readonly<Record<string, number>>;
  readonly completeUntilMs: number | null;
  /** Whether no hour accepts late reports. */
  readonly isTelemetryClosed: boolean;
  /** Changes with the flights that were imported. */
  readonly imports: string;
  /** What there is of each hour of weather, by source. */
  readonly weather: Readonly<Record<string, string>>;
  readonly configHash: string;
  readonly modelingVersion: string;
  readonly airframes: string;
  /** Runs by date whose flights keep their ids, although earlier reports of them arrived since. */
  readonly idsFrom: Readonly<Record<string, string>>;
}

/** What a day lacks; undefined where it can be computed. */
export interface Shortage {
  readonly missing: 'telemetry' | 'weather';
  readonly message: string;
}

export async function inputsOf(
  { database, met }: { readonly database: Queryable; readonly met: Met },
  config: InventoryConfig,
  date: string,
  nowMs: number,
): Promise<Omit<DayInputs, 'idsFrom'> | Shortage> {
  const dayMs = Date.parse(date);
  const window = telemetryWindow(dayMs);
  const hours = await listHours(database, window.fromMs, window.toMs);
  const published = hours.filter(({ generation, state }) => generation > 0 && state !== 'removed');
  const ofDate = published.filter(
    ({ hourMs, rows }) => hourMs >= dayMs && hourMs < dayMs + DAY_MS && rows > 0,
  );
  if (ofDate.length === 0) {
    const waits = hours.some(
      ({ hourMs, pending }) => hourMs >= dayMs && hourMs < dayMs + DAY_MS && pending > 0,
    );
    return {
      missing: 'telemetry',
      message: waits
        ? `telemetry of ${date} has arrived but no hour is published yet; the day is computed when hours are`
        : `there is no telemetry of ${date}; import it with "contrails adsb import", and the day is computed when its hours are published`,
    };
  }
  const weather = await weatherHours(met, config, dayMs);
  if (Object.keys(weather).length === 0) {
    const kind = config.inventory.met === 'reanalysis' ? 'reanalysis' : 'weather';
    return {
      missing: 'weather',
      message: `no ${kind} covers ${date}; "contrails met list" shows what there is, and the day is computed when it arrives`,
    };
  }
  const { closeAfterMs } = telemetryRules(config.telemetry);
  const last = Math.max(...published.map(({ hourMs }) => hourMs + HOUR_MS));
  const waiting = hours.filter(
    ({ hourMs, pending, generation }) => hourMs >= dayMs && pending > 0 && generation === 0,
  );
  const completeUntilMs = Math.min(last, ...waiting.map(({ hourMs }) => hourMs));
  const isOver = nowMs > window.toMs + closeAfterMs;
  return {
    telemetry: Object.fromEntries(published.map(({ hourMs, generation }) => [isoHour(hourMs), generation])),
    completeUntilMs: isOver || completeUntilMs >= window.toMs ? null : completeUntilMs,
    isTelemetryClosed: isClosed(window, hours, closeAfterMs, nowMs),
    imports: await importsVersion(database, window.fromMs, window.toMs),
    weather,
    configHash: configHashOf(config),
    modelingVersion: MODELING_VERSION,
    airframes: await airframesHash(database),
  };
}

/**
 * Whether late reports of all hours of a day are refused. Their age does not decide it: hours that are imported years
 * later accept late reports as others do. Hours that never had any count once they would be closed.
 */
function isClosed(
  { fromMs, toMs }: ReturnType<typeof telemetryWindow>,
  hours: readonly HourRecord[],
  closeAfterMs: number,
  nowMs: number,
): boolean {
  const known = new Map(hours.map((hour) => [hour.hourMs, hour]));
  for (let hourMs = fromMs; hourMs < toMs; hourMs += HOUR_MS) {
    const hour = known.get(hourMs);
    const isOver =
      hour === undefined
        ? nowMs >= hourMs + HOUR_MS + closeAfterMs
        : (hour.state === 'closed' || hour.state === 'removed') && hour.pending === 0;
    if (!isOver) return false;
  }
  return true;
}

/** Which weather there is of every hour that the flights of a day may need; forecasts count only where there is no reanalysis. */
async function weatherHours(
  met: Met,
  { inventory }: InventoryConfig,
  dayMs: number,
): Promise<Record<string, string>> {
  const hours: Record<string, string> = {};
  const reanalysed = new Set<number>();
  const runs = (await met.catalogue.list()).flatMap((entry) =>
    'error' in entry
      ? []
      : entry.description.runs.map((run) => ({
          description: entry.description,
          run,
          isReanalysis: run.referenceTime === undefined && entry.description.type === 'reanalysis',
        })),
  );
  for (const { description, run, isReanalysis } of runs.sort(
    (a, b) => Number(b.isReanalysis) - Number(a.isReanalysis),
  )) {
    if (!isReanalysis && inventory.met === 'reanalysis') continue;
    const from = lowerBound(run.times, dayMs);
    for (let k = from; k < run.times.length && (run.times[k] as number) <= dayMs + WEATHER_MS; k++) {
      const time = run.times[k] as number;
      if (isReanalysis) reanalysed.add(time);
      else if (reanalysed.has(time)) continue;
      const name = [description.name, run.referenceTime ?? '', isoHour(time)].join(' ');
      hours[name] = generationOfTimes(description, run, [time]).slice(0, 12);
    }
  }
  return hours;
}

/** The first index whose time is not before another. */
function lowerBound(times: readonly number[], ms: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Settings that change results. */
function configHashOf({ inventory, met, accf }: InventoryConfig): string {
  const { validate, max_age_hours, dt_integration_minutes, co2e_set } = inventory;
  const { excludedAirlines, excludedAddresses } = exclusionsOf(inventory);
  return hashOf({
    met: inventory.met,
    validate,
    max_age_hours,
    dt_integration_minutes,
    co2e_set,
    exclude_airlines: [...excludedAirlines],
    exclude_addresses: [...excludedAddresses],
    humidity_scaling: met.humidity_scaling,
    methane_lifetime_years: accf.methane_lifetime_years,
  });
}

/** Names the flights of a date. The number of units is part of it, because their files are. */
export function dayKeyOf(date: string, inputs: DayInputs, shards: number): string {
  return hashOf({ date, inputs, shards, pipeline: PIPELINE });
}

/** Equal where flights with equal minutes, aircraft and weather have equal results. */
export function modelKeyOf({ configHash, modelingVersion }: DayInputs, shards: number): string {
  return hashOf({ configHash, modelingVersion, shards, pipeline: PIPELINE });
}

/** Names the weather of the hours from one time to another, both included. */
export type WeatherIdentity = (fromMs: number, toMs: number) => string;

/** Hours that come later, or change elsewhere, make no other weather of a flight. */
export function weatherIdentity({ weather }: Pick<DayInputs, 'weather'>): WeatherIdentity {
  const hours = Object.entries(weather).map(([name, generation]) => ({
    hour: name.split(' ').at(-1) ?? '',
    entry: `${name} ${generation}`,
  }));
  const known = new Map<string, string>();
  return (fromMs, toMs) => {
    const [from, to] = [isoHour(hourOf(fromMs)), isoHour(hourOf(toMs))];
    const range = `${from} ${to}`;
    let found = known.get(range);
    if (found === undefined) {
      found = hashOf(hours.filter(({ hour }) => hour >= from && hour <= to).map(({ entry }) => entry));
      known.set(range, found);
    }
    return found;
  };
}

export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
