/** Flights of the synthetic fleet at whole minutes, as the flight building would hand them on. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { worldAirports } from '@contrails/flights';
import type { InventoryFlight, LegRow } from '@contrails/flights/inventory';
import { createLog } from '@contrails/platform/log';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import {
  legsBetween,
  openSyntheticTraffic,
  type SyntheticLeg,
  syntheticFleet,
} from '@contrails/testbed/traffic';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { until } from '../../../../../test/support/until.ts';
import { type Config, loadConfig } from '../../../src/configuration.ts';
import { inventoryHandlers } from '../../../src/families/inventory/run/plan.ts';
import { publishHour } from '../../../src/families/telemetry/hours/publish.ts';
import {
  buildDueHours,
  importFile,
  type TelemetryRules,
  telemetryRules,
} from '../../../src/families/telemetry/index.ts';
import type { Services } from '../../../src/services.ts';
import { pendingHours } from '../../../src/telemetry-store/table.ts';
import { openWarmServices } from '../../support/warm-services.ts';

export const DAY_START_MS = Date.UTC(2024, 1, 29);

/** Flights that take off on a day, of about so many in all. */
export function syntheticFlights(count: number, startMs = DAY_START_MS): InventoryFlight[] {
  return syntheticFleet({ airports: airports(), legsPerDay: 2 * count, seed: 7 })
    .flatMap((airframe) => [...legsBetween(airframe, startMs, startMs + DAY_MS)])
    .filter(({ takeoffMs }) => takeoffMs >= startMs)
    .slice(0, count)
    .map(flightOfLeg);
}

function airports() {
  return worldAirports().all.map((airport) => ({ ...airport, isScheduled: airport.isScheduled ?? false }));
}

/** A leg as it was flown, at whole minutes. */
export function flightOfLeg(leg: SyntheticLeg): InventoryFlight {
  const { airframe, takeoffMs, landingMs, origin, destination, profile } = leg;
  const times: number[] = [];
  for (let ms = Math.ceil(takeoffMs / MINUTE_MS) * MINUTE_MS; ms <= landingMs; ms += MINUTE_MS)
    times.push(ms);
  const points = times.map((ms) => profile.at(ms - takeoffMs));
  const airport = (icao: string) => {
    const found = worldAirports().find(icao);
    return found === undefined
      ? null
      : {
          longitude: found.longitude,
          latitude: found.latitude,
          elevationFt: found.elevationFt,
          country: found.country ?? null,
          continent: found.continent ?? null,
        };
  };
  return {
    flightId: `${airframe.icaoAddress}-${takeoffMs}`,
    icaoAddress: airframe.icaoAddress,
    callsign: airframe.airline.callsign,
    tailNumber: airframe.tailNumber,
    flightNumber: null,
    airlineIata: airframe.airline.iata,
    aircraftType: airframe.type,
    departureIcao: origin.icao,
    arrivalIcao: destination.icao,
    departure: airport(origin.icao),
    arrival: airport(destination.icao),
    departureScheduledMs: null,
    arrivalScheduledMs: null,
    isPartial: false,
    unseen: [],
    grade: 'A',
    quality: 0,
    reportCount: times.length,
    usedCount: times.length,
    satelliteShare: 0,
    maxGapS: 60,
    firstReportMs: takeoffMs,
    lastReportMs: landingMs,
    columns: {
      timeMs: Float64Array.from(times),
      longitude: Float64Array.from(points, ({ longitude }) => longitude),
      latitude: Float64Array.from(points, ({ latitude }) => latitude),
      altitudeFt: Float64Array.from(points, ({ altitudeFt }) => altitudeFt),
      gapS: new Float64Array(times.length),
      imputed: new Uint8Array(times.length),
    },
  };
}

/** The record of a leg that became a flight. */
export function legRowOf(flight: InventoryFlight): LegRow {
  return {
    flight_id: flight.flightId,
    icao_address: flight.icaoAddress,
    callsign: flight.callsign,
    airline_iata: flight.airlineIata,
    aircraft_type_icao: flight.aircraftType,
    departure_airport_icao: flight.departureIcao,
    arrival_airport_icao: flight.arrivalIcao,
    first_time: flight.firstReportMs,
    last_time: flight.lastReportMs,
    outcome: 'ok',
    codes: 'ok',
    detail: null,
    cut_reason: null,
    reports: flight.reportCount,
    reports_used: flight.usedCount,
    healing: null,
    settings: null,
    minutes_in: flight.columns.timeMs.length - 1,
    minutes_out: 0,
    minutes_imputed: 0,
    leg_hash: flight.flightId,
  };
}

export interface TrialInventory {
  readonly services: Services;
  readonly config: Config;
  /** Does everything that is queued, with so many jobs at once. */
  work(jobs?: number): Promise<void>;
  close(): Promise<void>;
}

export interface TrialSettings {
  readonly data?: string;
  /** `embedded` unless it is the URL of a PostgreSQL database. */
  readonly database?: string;
  /** Of the weather [°]. */
  readonly resolution?: number;
  /** Synced sources of the data directory instead of synthetic weather. */
  readonly isSynced?: boolean;
  readonly inventory?: Readonly<Record<string, unknown>>;
}

/** The services on synthetic weather, with telemetry as `importTraffic` puts it there. */
export async function openInventory({
  data,
  database = 'embedded',
  resolution = 10,
  isSynced = false,
  inventory = {},
}: TrialSettings = {}): Promise<TrialInventory> {
  const directory = data ?? (await temporaryDirectory());
  const environment = {
    CONTRAILS_DATA: directory,
    CONTRAILS_DATABASE: database,
    CONTRAILS_LOG__LEVEL: 'error',
    CONTRAILS_WORKERS__THREADS: '1',
  };
  const loaded = loadConfig({ environment, directory });
  const config: Config = {
    ...loaded,
    met: isSynced
      ? loaded.met
      : { ...loaded.met, sources: [{ name: 'demo', kind: 'synthetic', resolution, seed: 1 }] },
    inventory: { ...loaded.inventory, shards: 2, max_age_hours: 2, ...inventory },
  };
  const log = createLog(config.log);
  const services = await openWarmServices(config, log);
  return {
    services,
    config,
    async work(jobs = 2) {
      const worker = services.jobs.work(inventoryHandlers(services, config), { concurrency: jobs, log });
      const isEmpty = async () => {
        const counts = await services.jobs.counts();
        return counts.queued + counts.running + counts.waiting === 0;
      };
      await until('the queue is empty', isEmpty, { pauseMs: 100 });
      await worker.stop();
    },
    close: () => services.close(),
  };
}

/** What receivers heard of a synthetic fleet, one line for each report. */
export function trafficLines(fromMs: number, toMs: number, legsPerDay = 45): string[] {
  const traffic = openSyntheticTraffic({ airports: airports(), legsPerDay, seed: 7 });
  return [...traffic.lines(fromMs, toMs)].join('').trim().split('\n');
}

/** Imports reports and publishes their hours. */
export async function importLines(
  { services, config }: TrialInventory,
  lines: readonly string[],
): Promise<void> {
  const path = join(await temporaryDirectory(), 'traffic.ndjson');
  await writeFile(path, `${lines.join('\n')}\n`);
  const rules = telemetryRules(config.telemetry);
  await importFile(services, rules, path, { source: 'made', format: 'target_ndjson' });
  await publishPending(services, rules);
}

/** Publishes the hours that have reports; that days have empty hours besides is another matter. */
export async function publishPending(services: Services, rules: TelemetryRules): Promise<void> {
  for (const { hourMs } of await pendingHours(services.database))
    await publishHour(services, rules, hourMs, Date.now());
}

/** The same of synthetic traffic with the empty hours of its days, for a service that would build them. */
export async function importTraffic(
  trial: TrialInventory,
  fromMs: number,
  toMs: number,
  legsPerDay?: number,
): Promise<void> {
  await importLines(trial, trafficLines(fromMs, toMs, legsPerDay));
  const rules = telemetryRules(trial.config.telemetry);
  await buildDueHours(trial.services, rules, { nowMs: () => Date.now() + 2 * DAY_MS });
}

/** A few hours around midnight: what is in the air then belongs to two dates. */
export async function importSmallDay(trial: TrialInventory, dayMs: number): Promise<void> {
  await importLines(trial, trafficLines(dayMs - HOUR_MS, dayMs + 4 * HOUR_MS, 70));
}

/** Forgets everything that was computed but when runs began, and removes their files. */
export async function forgetComputed({ services }: TrialInventory): Promise<void> {
  const { database, store, jobs } = services;
  for (const table of ['inventory_units', 'inventory_days', 'inventory_dates'])
    await database.execute(`DELETE FROM ${table}`);
  for await (const { key } of store.list('inventory/')) await store.remove(key);
  await jobs.prune(Date.now() + DAY_MS);
}
