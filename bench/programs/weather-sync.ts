/** Fetches and reads a run in a separate process: `weather-sync.ts ROOT FOLDER HOURS`; prints one line of JSON. */
import { HOUR_MS } from '@contrails/runtime';
import { openSource } from '../../packages/met/src/index.ts';
import { PROVIDERS, syncSource } from '../../packages/met/src/providers/index.ts';

const [root = '', directory = '', hours = '48'] = process.argv.slice(2);
const ecmwf = PROVIDERS.find(({ name }) => name === 'ecmwf');
if (ecmwf === undefined) throw new Error('there is no provider');
const runMs = Date.UTC(2026, 8, 14);
const startCpu = cpuSeconds();
const started = performance.now();
await syncSource(ecmwf, { directory, roots: [root], runMs, hours: Number(hours) });
const fetched = performance.now();
const fetchCpu = cpuSeconds() - startCpu;
const source = await openSource({
  name: 'ecmwf',
  kind: 'grib',
  provider: 'ECMWF',
  dataset: 'IFS',
  product: 'forecast',
  directory,
  paths: ['ecmwf/[0-9]*/*.grib2'],
});
const { variables } = await source.describe();
const isOnLevels = (name: string) => !/radiation|water_vapour/.test(name);
// One time after the other, as the models read them.
for (let hour = 0; hour <= Number(hours); hour += 3) {
  const time = [runMs + hour * HOUR_MS, runMs + hour * HOUR_MS] as const;
  const window = { time, level: [150, 400], latitude: [-90, 90], longitude: [-180, 180] } as const;
  await source.read({ ...window, variables: variables.filter(isOnLevels) });
  await source.read({ ...window, variables: variables.filter((name) => !isOnLevels(name)) });
}
await source.close();
const ended = performance.now();
console.log(
  JSON.stringify({
    fetch: (fetched - started) / 1000,
    read: (ended - fetched) / 1000,
    fetchCpu,
    readCpu: cpuSeconds() - fetchCpu - startCpu,
    peakMib: process.resourceUsage().maxRSS / 1024,
  }),
);

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
