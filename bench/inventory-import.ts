/**
 * A day of the EUROCONTROL R&D archive through the inventory: its two files are imported and the day is computed and published,
 * with the commands that a user runs, on synthetic weather. Prints seconds, processor seconds and peak memory of both.
 *
 * BENCH_FLIGHTS is the number of flights, BENCH_DATA where the data goes (the temporary directory unless it is given).
 */
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { DAY_MS, MINUTE_MS } from '@contrails/runtime';
import { legsBetween } from '@contrails/testbed/traffic';
import { runCommand, type Spent } from './support/run-command.ts';
import { fleetOfDay } from './support/synthetic-hours.ts';

const FLIGHTS = Number(process.env.BENCH_FLIGHTS ?? 30_000);
const DATE = '2024-02-29';
const DAY_START_MS = Date.parse(DATE);
const MONTH = '20240201_20240229';
/** Some 33 points of a flight, as the archive has them. */
const POINT_MS = 5 * MINUTE_MS;

const directory = process.env.BENCH_DATA ?? mkdtempSync(join(tmpdir(), 'contrails-bench-import-'));
mkdirSync(directory, { recursive: true });
try {
  const lists = join(directory, `Flights_${MONTH}.csv.gz`);
  const points = join(directory, `Flight_Points_Actual_${MONTH}.csv.gz`);
  const flights = await writeArchive(lists, points);
  const config = join(directory, 'contrails.yaml');
  writeFileSync(
    config,
    // As much memory as weather from files gets on a machine of 8 GiB; synthetic weather alone would get less.
    `met:\n  memory_mib: 2048\n  sources:\n    - { name: synthetic, kind: synthetic, resolution: 1, seed: 1 }\nlog:\n  level: error\n`,
  );
  const data = ['--config', config, '--data', join(directory, 'data')];
  const imported = await runCommand(['inventory', 'import', lists, points, '--as', 'eurocontrol', ...data]);
  const computed = await runCommand(['inventory', 'run', '--date', DATE, ...data]);
  const shown = ({ seconds, cpuSeconds, peakMiB }: Spent) => ({
    seconds: Math.round(seconds),
    'processor seconds': Math.round(cpuSeconds),
    'peak MiB': Math.round(peakMiB),
  });
  const mb = [lists, points].reduce((sum, file) => sum + statSync(file).size, 0) / 1e6;
  console.log(`${flights} flights in ${mb.toFixed(1)} MB of files, ${cpus().length} cores`);
  console.table({
    import: shown(imported),
    'day to published tables': shown(computed),
    both: shown({
      seconds: imported.seconds + computed.seconds,
      cpuSeconds: imported.cpuSeconds + computed.cpuSeconds,
      peakMiB: Math.max(imported.peakMiB, computed.peakMiB),
    }),
  });
} finally {
  if (process.env.BENCH_DATA === undefined) rmSync(directory, { recursive: true, force: true });
}

/** Both files as the archive has them; returns the number of flights. */
async function writeArchive(lists: string, points: string): Promise<number> {
  const legs = fleetOfDay(FLIGHTS).flatMap((airframe) =>
    [...legsBetween(airframe, DAY_START_MS, DAY_START_MS + DAY_MS)]
      .filter(({ takeoffMs }) => takeoffMs >= DAY_START_MS && takeoffMs < DAY_START_MS + DAY_MS)
      .map((leg) => ({ leg, airframe })),
  );
  function* listRows(): Generator<string> {
    yield '"ECTRL ID","ADEP","ADEP Latitude","ADEP Longitude","ADES","ADES Latitude","ADES Longitude","FILED OFF BLOCK TIME","FILED ARRIVAL TIME","ACTUAL OFF BLOCK TIME","ACTUAL ARRIVAL TIME","AC Type","AC Operator","AC Registration","ICAO Flight Type","STATFOR Market Segment","Requested FL","Actual Distance Flown (nm)"\n';
    for (const [id, { airframe, leg }] of legs.entries()) {
      const { origin, destination, takeoffMs, landingMs } = leg;
      const times = [takeoffMs, landingMs, takeoffMs, landingMs].map(timeOf).join(',');
      yield `${id + 1},"${origin.icao}",${origin.latitude},${origin.longitude},"${destination.icao}",${destination.latitude},${destination.longitude},${times},"${airframe.type}","${airframe.airline.callsign}","${airframe.tailNumber}","S","Mainline",350,1000\n`;
    }
  }
  function* pointRows(): Generator<string> {
    yield '"ECTRL ID","Sequence Number","Time Over","Flight Level","Latitude","Longitude"\n';
    for (const [id, { leg }] of legs.entries()) {
      const { takeoffMs, landingMs, profile } = leg;
      let sequence = 0;
      for (let ms = takeoffMs; ; ms = Math.min(landingMs, ms + POINT_MS)) {
        const { latitude, longitude, altitudeFt } = profile.at(ms - takeoffMs);
        yield `${id + 1},${sequence++},${timeOf(ms)},${Math.max(0, Math.round(altitudeFt / 100))},${latitude.toFixed(6)},${longitude.toFixed(6)}\n`;
        if (ms === landingMs) break;
      }
    }
  }
  await pipeline(Readable.from(listRows()), createGzip({ level: 1 }), createWriteStream(lists));
  await pipeline(Readable.from(pointRows()), createGzip({ level: 1 }), createWriteStream(points));
  return legs.length;
}

/** 29-02-2024 13:05:00 */
function timeOf(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${iso.slice(8, 10)}-${iso.slice(5, 7)}-${iso.slice(0, 4)} ${iso.slice(11, 19)}`;
}
