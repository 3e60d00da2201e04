/**
 * Flights of a table of telemetry, as `contrails adsb flights` makes them: `node flights.ts TABLE TEMPORARY_DIRECTORY`
 * prints figures as JSON.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { buildAirframes, openTables } = await import('@contrails/flights');

const [table = '', temporaryDirectory = ''] = process.argv.slice(2);
const started = performance.now();
const cpu = process.cpuUsage();
const tables = await openTables([table], { memoryMiB: 512, threads: 2, temporaryDirectory });
let [legs, minutes, checksum] = [0, 0, 0];
for await (const { flights } of buildAirframes(tables, { threads: 2 })) {
  for (const { flight } of flights) {
    if (flight === undefined) continue;
    legs++;
    minutes += flight.gapS.length;
    checksum += flight.columns.latitude.reduce((sum, latitude) => sum + latitude, 0);
  }
}
tables.close();
const { user, system } = process.cpuUsage(cpu);
const cpuSeconds = (user + system) / 1e6;
console.log(
  JSON.stringify({
    seconds: (performance.now() - started) / 1000,
    cpuSeconds,
    reports: tables.rowCount,
    legs,
    minutes,
    checksum,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }),
);
