/** Fetches and reads a run in a separate process: `weather-sync.ts ROOT FOLDER HOURS`; prints one line of JSON. */
import { HOUR_MS, sharedFloat32 } from '@contrails/runtime';
import { makeAxis } from '../../packages/met/src/field/axis.ts';
import type { FieldAxes, MetField } from '../../packages/met/src/field/field.ts';
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
const times = Array.from({ length: Number(hours) / 3 + 1 }, (_, k) => runMs + 3 * k * HOUR_MS);
// Two times at once into memory that is used again, as the cache of weather reads them.
await Promise.all([0, 1].map(() => readTimes()));
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

async function readTimes(): Promise<void> {
  const memory = new Map<number, Float32Array>();
  const allocate = (names: readonly string[], axes: FieldAxes): MetField => {
    const length = names.length * axes.longitude.length * axes.latitude.length * axes.level.length;
    const slab = memory.get(length) ?? sharedFloat32(length);
    memory.set(length, slab);
    const { longitude, latitude, level, time } = axes;
    return {
      variables: names,
      longitude: makeAxis(longitude),
      latitude: makeAxis(latitude),
      level: makeAxis(level),
      time: makeAxis(time),
      slabs: [slab.fill(Number.NaN)],
    };
  };
  for (let time = times.shift(); time !== undefined; time = times.shift()) {
    const window = {
      time: [time, time],
      level: [150, 400],
      latitude: [-90, 90],
      longitude: [-180, 180],
    } as const;
    await source.read({ ...window, variables: variables.filter(isOnLevels) }, { allocate });
    await source.read({ ...window, variables: variables.filter((name) => !isOnLevels(name)) }, { allocate });
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
