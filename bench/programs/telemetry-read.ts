/** Reads a telemetry file in a separate process; prints one line of JSON. */
import { readTelemetry } from '../../packages/flights/src/index.ts';

const [file = ''] = process.argv.slice(2);
const before = process.cpuUsage();
let [rows, refused] = [0, 0];
for await (const block of readTelemetry(file, { nowMs: Date.now() })) {
  rows += block.record.length;
  refused += block.refused.length;
}
const { user, system } = process.cpuUsage(before);
const peakMiB = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ rows, refused, seconds: (user + system) / 1e6, peakMiB }));
