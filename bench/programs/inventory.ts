/**
 * Our side of the benchmark of the inventory: `inventory.ts FOLDER FLIGHTS THREADS` takes flights at whole minutes from files
 * through the models into the tables of a unit, as a worker does, with the weather in memory before the clock starts. It
 * leaves the flights and the weather in the folder for the peer, and prints one JSON object.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { legsBetween } from '@contrails/flights/synthetic';
import { openDuckDb, sqlText } from '@contrails/formats';
import { openMet, openSource } from '@contrails/met';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { openCompute } from '../../packages/service/src/compute/index.ts';
import { LegWriter } from '../../packages/service/src/families/inventory/flights/flights-file.ts';
import { NO_AIRFRAMES } from '../../packages/service/src/families/inventory/model/aircraft.ts';
import { runSlot } from '../../packages/service/src/families/inventory/model/run-slot.ts';
import { inventoryOptions } from '../../packages/service/src/families/inventory/model/settings.ts';
import { type Workspace, withWorkspace } from '../../packages/service/src/families/telemetry/local-files.ts';
import { flightOfLeg, legRowOf } from '../../packages/service/test/families/inventory/support.ts';
import { writeWeather } from '../../test/peer/trajectories/weather.ts';
import { fleetOfDay } from '../support/synthetic-hours.ts';

const RUNS = 3;
const RESOLUTION_DEG = 2.5;
const DAY_START_MS = Date.UTC(2024, 1, 29);
const MAX_AGE_HOURS = 12;
const MEMORY = { met: 3 * 2 ** 30, duckdbMiB: 1024 };

const [folder = '', count = '1000', threads = '2'] = process.argv.slice(2);
const legs = fleetOfDay(Number(count))
  .flatMap((airframe) => [...legsBetween(airframe, DAY_START_MS, DAY_START_MS + DAY_MS)])
  .filter(({ takeoffMs }) => takeoffMs >= DAY_START_MS)
  .sort((a, b) => a.takeoffMs - b.takeoffMs)
  .slice(0, Number(count));
const flights = legs.map(flightOfLeg);
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

const source = await openSource({
  name: 'synthetic',
  kind: 'synthetic',
  provider: '',
  dataset: '',
  product: '',
  paths: [],
  directory: '.',
  resolutionDeg: RESOLUTION_DEG,
});
const lastMs = Math.max(...flights.map(({ columns }) => columns.timeMs.at(-1) ?? 0));
const world = {
  time: [DAY_START_MS, Math.ceil(lastMs / HOUR_MS) * HOUR_MS + (MAX_AGE_HOURS + 2) * HOUR_MS],
  level: [100, 850],
  latitude: [-90, 90],
  longitude: [-180, 180],
} as const;
await writeWeather(folder, source, world);
const met = openMet({ sources: [source], memoryBytes: MEMORY.met });
(await met.openWeather({ ...world, for: 'contrails' })).release();
const compute = openCompute({ threads: Number(threads), maxQueue: 10 });

const files = await withWorkspace({ memoryMiB: MEMORY.duckdbMiB }, async (workspace) => {
  const kept = { ...workspace, directory: mkdtempSync(join(folder, 'flights-')) };
  const writer = await LegWriter.open(kept, 1);
  for (const flight of flights) await writer.add({ row: legRowOf(flight), flight });
  return writer.finish();
});

const seconds: number[] = [];
const cpuSeconds: number[] = [];
let totals: { readonly fuelKg: number[]; readonly forcingMj: number[] } = { fuelKg: [], forcingMj: [] };
for (let run = 0; run < RUNS; run++) {
  await withWorkspace({ memoryMiB: MEMORY.duckdbMiB, threads: 1 }, async (workspace) => {
    const [began, before] = [performance.now(), process.cpuUsage()];
    const written = await runUnit(workspace);
    seconds.push((performance.now() - began) / 1000);
    const { user, system } = process.cpuUsage(before);
    cpuSeconds.push((user + system) / 1e6);
    totals = await totalsOf(written.summary);
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
    flights: flights.length,
    minutes: flights.reduce((sum, { columns }) => sum + columns.timeMs.length, 0),
    ...totals,
    hits,
    misses,
    peakBytes: 1024 * process.resourceUsage().maxRSS,
  }),
);

function runUnit(workspace: Workspace) {
  return runSlot(
    { met: { open: async () => met }, compute },
    workspace,
    {
      slot: 0,
      flights: { legs: [files.legs], minutes: [files.minutes] },
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
async function totalsOf(summary: string) {
  const duckdb = await openDuckDb({ memoryMiB: 256, threads: 1, temporaryDirectory: folder });
  const rows = await duckdb.rows(
    `SELECT flight_id, total_fuel_burn_kg, sum_ef_mj FROM read_parquet(${sqlText(summary)})`,
  );
  duckdb.close();
  const byId = new Map(rows.map((row) => [row.flight_id, row]));
  const column = (name: string) => flights.map(({ flightId }) => Number(byId.get(flightId)?.[name]));
  return { fuelKg: column('total_fuel_burn_kg'), forcingMj: column('sum_ef_mj') };
}
