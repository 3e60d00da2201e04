/**
 * Live contrails of many aircraft in cruise, a report every 5 s over a window of 4 hours: how long reports take to be kept, and how
 * long a cycle takes with its publication, how long it keeps the event loop from other work, and memory beyond the weather.
 *
 * BENCH_AIRCRAFT makes it shorter or longer. `npm run soak -- live` measures clients of the stream.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openCompute } from '@contrails/engine/compute';
import { NO_AIRFRAMES } from '@contrails/engine/inventory/aircraft';
import { LiveState, liveOptions } from '@contrails/engine/live/cycle';
import { LiveTracks } from '@contrails/engine/live/tracks';
import { openMet } from '@contrails/met';
import { destinationLatitude, destinationLongitude } from '@contrails/physics/geodesy';
import { openStore } from '@contrails/platform/store';
import { HOUR_MS, SECOND_MS } from '@contrails/runtime';
import { openSynthetic } from '@contrails/testbed/weather';
import { seededRandom } from '@contrails/testbed/weather/random';
import { publishCycle, skyOf } from '../packages/service/src/families/live/published.ts';
import { openDatabase } from '../packages/service/src/migrations.ts';

const AIRCRAFT = Number(process.env.BENCH_AIRCRAFT ?? 10_000);
const CORES = 2;
const MIB = 2 ** 20;
const REPORT_MS = 5 * SECOND_MS;
const WINDOW_MS = 4 * HOUR_MS;
/** Most have been in the air for less than the window. */
const MAX_FLOWN_MS = 4 * HOUR_MS;
const MIN_FLOWN_MS = HOUR_MS / 4;
/** As a feed delivers them: few of one aircraft in a block. */
const REPORTS_AT_ONCE = 60;

const met = openMet({
  sources: [openSynthetic({ name: 'demo', resolutionDeg: 1 })],
  memoryBytes: 3072 * MIB,
});
const compute = openCompute({ threads: CORES, maxQueue: 10_000, memoryBytes: 2048 * MIB });
const tracks = new LiveTracks(512 * MIB);
const nowMs = Date.parse('2026-01-15T12:00:20Z');
const random = seededRandom(1);
const fleet = Array.from({ length: AIRCRAFT }, (_, k) => ({
  address: (0x400000 + k).toString(16).toUpperCase(),
  longitude: 360 * random() - 180,
  latitude: 100 * random() - 40,
  azimuth: 360 * random(),
  altitudeFt: 1000 * Math.round(30 + 10 * random()),
  flownMs: MIN_FLOWN_MS + (MAX_FLOWN_MS - MIN_FLOWN_MS) * random(),
}));

const folder = mkdtempSync(join(tmpdir(), 'bench-live-'));
const database = await openDatabase({ database: 'embedded', directory: folder });
const store = await openStore({ kind: 'directory', path: join(folder, 'store') });

try {
  const bytesBefore = process.memoryUsage().rss;
  const weather = await met.openWeather({
    for: 'contrails',
    partial: true,
    time: [nowMs - WINDOW_MS, nowMs + HOUR_MS],
    level: [150, 500],
    latitude: [-90, 90],
    longitude: [-180, 180],
    margin: { afterMs: 13 * HOUR_MS, levelHpa: 40, degrees: 10 },
  });
  weather.release();
  const weatherBytes = process.memoryUsage().rss - bytesBefore;
  console.log(
    `${AIRCRAFT} aircraft, ${CORES} cores, ${mebibytes(weatherBytes)} MiB of weather, ${mebibytes(bytesBefore)} MiB before it`,
  );
  let reports = 0;
  const ingestMs = timed(() => {
    for (const aircraft of fleet) reports += addReports(aircraft, nowMs - aircraft.flownMs, nowMs);
  });
  console.log(`${reports} reports, kept: ${Math.round(reports / (ingestMs / 1000))} per second`);
  const state = new LiveState(tracks, {
    windowMs: WINDOW_MS,
    staleAfterMs: 300_000,
    options: liveOptions('exponential_boost_latitude_customization'),
    airframes: NO_AIRFRAMES,
  });
  const services = { met: { open: async () => met }, compute };
  let peakBytes = 0;
  const sampling = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
  }, 100);
  for (const cycle of [1, 2, 3, 4]) {
    const atMs = nowMs + 60_000 * cycle;
    for (const aircraft of fleet) addReports(aircraft, atMs - 60_000, atMs);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const [before, startedMs] = [process.cpuUsage(), performance.now()];
    const computed = await state.run(services, atMs);
    await publishCycle({ database, store }, 'bench', skyOf(computed, cycle, { hours: 4, feeds: [] }), [], 0);
    const { user, system } = process.cpuUsage(before);
    delay.disable();
    const { summary, contrails } = computed;
    console.log(
      `cycle ${cycle}: ${seconds(performance.now() - startedMs)} s, ${seconds((user + system) / 1000)} s of processor time, ${summary.airborne} aircraft, ${contrails.length} contrails, event loop held for ${Math.round(delay.max / 1e6)} ms at most`,
    );
  }
  clearInterval(sampling);
  const { heapTotal, external, arrayBuffers } = process.memoryUsage();
  const { heapBytes, kernelBytes } = compute.state();
  console.log(
    `at the end: heap ${mebibytes(heapTotal)} MiB, buffers ${mebibytes(external)} MiB (arrays ${mebibytes(arrayBuffers)}), threads ${mebibytes(heapBytes)} and ${mebibytes(kernelBytes)} MiB, reports ${mebibytes(tracks.bytes)} MiB`,
  );
  console.log(`memory beyond the weather: ${mebibytes(peakBytes - weatherBytes)} MiB at most`);
} finally {
  await Promise.all([compute.close(), met.close(), store.close(), database.close()]);
  rmSync(folder, { recursive: true, force: true });
}

/** Returns how many reports there are. */
function addReports(aircraft: (typeof fleet)[number], fromMs: number, toMs: number): number {
  const count = Math.floor((toMs - fromMs) / REPORT_MS);
  if (count > REPORTS_AT_ONCE) {
    const middleMs = fromMs + REPORTS_AT_ONCE * REPORT_MS;
    return addReports(aircraft, fromMs, middleMs) + addReports(aircraft, middleMs, toMs);
  }
  const { address, longitude, latitude, azimuth, altitudeFt } = aircraft;
  const times = Float64Array.from({ length: count }, (_, k) => fromMs + (k + 1) * REPORT_MS);
  const metres = times.map((timeMs) => 0.235 * (timeMs - nowMs));
  const unknown = times.map(() => Number.NaN);
  const nulls = new Array<string | null>(count).fill(null);
  const columns = {
    timestamp: times,
    longitude: metres.map((distance) => destinationLongitude(longitude, latitude, azimuth, distance)),
    latitude: metres.map((distance) => destinationLatitude(latitude, azimuth, distance)),
    collection_type: new Array<'terrestrial'>(count).fill('terrestrial'),
    altitude_baro: times.map(() => altitudeFt),
    altitude_gnss: unknown,
    icao_address: new Array<string>(count).fill(address),
    ...{ flight_id: nulls, callsign: nulls, tail_number: nulls, flight_number: nulls },
    aircraft_type_icao: new Array<string>(count).fill('A320'),
    ...{ airline_iata: nulls, departure_airport_icao: nulls, arrival_airport_icao: nulls },
    ...{ departure_scheduled_time: unknown, arrival_scheduled_time: unknown, nic: unknown, nacp: unknown },
  };
  tracks.add({ source: 'bench', columns, legFlag: new Uint8Array(count) }, nowMs - WINDOW_MS);
  return count;
}

function timed(work: () => void): number {
  const startedMs = performance.now();
  work();
  return performance.now() - startedMs;
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / MIB);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
