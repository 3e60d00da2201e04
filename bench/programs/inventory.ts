/**
 * Our side of the benchmark of the inventory: `inventory.ts FOLDER FLIGHTS THREADS` takes flights at whole minutes from files
 * through the models into the tables of two units, as a worker does, with the weather in memory before the clock starts. It
 * leaves the flights and the weather in the folder for the peer, and prints one JSON object.
 */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCompute } from '@contrails/engine/compute';
import { NO_AIRFRAMES } from '@contrails/engine/inventory/aircraft';
import { inventoryOptions } from '@contrails/engine/inventory/settings';
import { openDuckDb, sqlText } from '@contrails/formats';
import { openMet } from '@contrails/met';
import { type Workspace, withWorkspace } from '@contrails/platform/workspace';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { legsBetween } from '@contrails/testbed/traffic';
import { openSynthetic } from '@contrails/testbed/weather';
import { LegWriter } from '../../packages/service/src/families/inventory/flights/flights-file.ts';
import { runSlot } from '../../packages/service/src/families/inventory/model/run-slot.ts';
import { flightOfLeg, legRowOf } from '../../packages/service/test/families/inventory/support.ts';
import { writeWeather } from '../../test/peer/trajectories/weather.ts';
import { fleetOfDay } from '../support/synthetic-hours.ts';

const RUNS = 8;
/** Units that run at once, as in a worker of two jobs; the peer has one batch in each of two processes. */
const UNITS = 2;
const RESOLUTION_DEG = 2.5;
const DAY_START_MS = Date.UTC(2024, 1, 29);
const MAX_AGE_HOURS = 12;
const MEMORY = { met: 3 * 2 ** 30, duckdbMiB: 1024 };

const [folder = '', count = '1000', threads = '2'] = process.argv.slice(2);
const traffic = await writeFlights();

const source = openSynthetic({ name: 'synthetic', resolutionDeg: RESOLUTION_DEG });
const world = {
  time: [DAY_START_MS, Math.ceil(traffic.lastMs / HOUR_MS) * HOUR_MS + (MAX_AGE_HOURS + 2) * HOUR_MS],
  level: [100, 850],
  latitude: [-90, 90],
  longitude: [-180, 180],
} as const;
await writeWeather(folder, source, world);
const met = openMet({ sources: [source], memoryBytes: MEMORY.met });
(await met.openWeather({ ...world, for: 'contrails' })).release();
const compute = openCompute({ threads: Number(threads), maxQueue: 10 });

const seconds: number[] = [];
const cpuSeconds: number[] = [];
let totals: { readonly fuelKg: number[]; readonly forcingMj: number[] } = { fuelKg: [], forcingMj: [] };
for (let run = 0; run < RUNS; run++) {
  await withWorkspaces(UNITS, async (workspaces) => {
    const [began, before] = [performance.now(), process.cpuUsage()];
    const written = await Promise.all(workspaces.map(runUnit));
    seconds.push((performance.now() - began) / 1000);
    const { user, system } = process.cpuUsage(before);
    cpuSeconds.push((user + system) / 1e6);
    totals = await totalsOf(written.map(({ summary }) => summary));
  });
}
const { hits, misses } = met.statistics();
await compute.close();
await met.close();
console.log(
  JSON.stringify({
    seconds: Math.min(...seconds),
    firstSeconds: seconds[0],
    cpuSeconds: Math.min(...cpuSeconds),
    flights: traffic.ids.length,
    minutes: traffic.minutes,
    ...totals,
    hits,
    misses,
    peakBytes: 1024 * process.resourceUsage().maxRSS,
  }),
);

/** The flights as files for both sides; only what is needed afterwards stays in memory. */
async function writeFlights() {
  const flights = fleetOfDay(Number(count))
    .flatMap((airframe) => [...legsBetween(airframe, DAY_START_MS, DAY_START_MS + DAY_MS)])
    .filter(({ takeoffMs }) => takeoffMs >= DAY_START_MS)
    .sort((a, b) => a.takeoffMs - b.takeoffMs)
    .slice(0, Number(count))
    .map(flightOfLeg);
  writeFileSync(
    join(folder, 'flights.json'),
    JSON.stringify(
      flights.map(({ flightId, aircraftType, departureIcao, arrivalIcao, columns }) => ({
        id: flightId,
        aircraftType,
        attributes: { origin_airport_icao: departureIcao, destination_airport_icao: arrivalIcao },
        time: Array.from(columns.timeMs, (ms) => ms / 1000),
        longitude: Array.from(columns.longitude),
        latitude: Array.from(columns.latitude),
        altitudeFt: Array.from(columns.altitudeFt),
      })),
    ),
  );
  const files = await withWorkspace({ memoryMiB: MEMORY.duckdbMiB }, async (workspace) => {
    const kept = { ...workspace, directory: mkdtempSync(join(folder, 'flights-')) };
    const writer = await LegWriter.open(kept, { index: 0, count: UNITS });
    for (const flight of flights) await writer.add({ row: legRowOf(flight), flight });
    return writer.finish();
  });
  return {
    files,
    ids: flights.map(({ flightId }) => flightId),
    minutes: flights.reduce((sum, { columns }) => sum + columns.timeMs.length, 0),
    lastMs: Math.max(...flights.map(({ columns }) => columns.timeMs.at(-1) ?? 0)),
  };
}

async function withWorkspaces(
  count: number,
  work: (workspaces: readonly Workspace[]) => Promise<void>,
  opened: readonly Workspace[] = [],
): Promise<void> {
  if (opened.length === count) return work(opened);
  return withWorkspace({ memoryMiB: MEMORY.duckdbMiB, threads: 1 }, (workspace) =>
    withWorkspaces(count, work, [...opened, workspace]),
  );
}

function runUnit(workspace: Workspace, slot: number) {
  return runSlot(
    { met: { open: async () => met }, compute },
    workspace,
    {
      slot,
      flights: { legs: [traffic.files.legs], minutes: [traffic.files.minutes] },
      earlier: undefined,
      airframes: NO_AIRFRAMES,
      weather: () => '',
      settings: {
        options: inventoryOptions('exponential_boost_latitude_customization', {
          maxAgeHours: MAX_AGE_HOURS,
        }),
        allowsForecast: false,
      },
    },
    {},
  );
}

/** In the order of the flights. */
async function totalsOf(summaries: readonly string[]) {
  const duckdb = await openDuckDb({ memoryMiB: 256, threads: 1, temporaryDirectory: folder });
  const rows = await duckdb.rows(
    `SELECT flight_id, total_fuel_burn_kg, sum_ef_mj FROM read_parquet([${summaries.map(sqlText).join(', ')}])`,
  );
  duckdb.close();
  const byId = new Map(rows.map((row) => [row.flight_id, row]));
  const column = (name: string) => traffic.ids.map((id) => Number(byId.get(id)?.[name]));
  return { fuelKg: column('total_fuel_burn_kg'), forcingMj: column('sum_ef_mj') };
}
