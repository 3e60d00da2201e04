/** Loads the hours of the benchmark in a separate process; prints one line of JSON. */
import { HOUR_MS } from '@contrails/runtime';
import { openSource } from '../../packages/met/src/sources/open.ts';

const [directory = '', layout = 'netcdf', hours = '13'] = process.argv.slice(2);
const isZarr = layout === 'zarr';
const startMs = Date.UTC(2024, 3, 1);
const everything = {
  time: [startMs, startMs + (Number(hours) - 1) * HOUR_MS],
  level: [150, 600],
  latitude: [-90, 90],
  longitude: [-180, 180],
} as const;

const started = performance.now();
const source = await openSource({
  name: 'era5',
  kind: isZarr ? 'zarr' : 'netcdf',
  directory,
  paths: [isZarr ? 'era5.zarr' : 'era5-*.nc'],
  provider: 'ECMWF',
  dataset: 'ERA5',
  product: 'reanalysis',
});
const { variables } = await source.describe();
const radiation = variables.filter((name) => name.startsWith('top_net'));
const onLevels = variables.filter((name) => !radiation.includes(name));
const fields = [
  await source.read({ ...everything, variables: onLevels }),
  await source.read({ ...everything, variables: radiation }),
];
const seconds = (performance.now() - started) / 1000;
await source.close();
const values = fields.flatMap(({ slabs }) => slabs).reduce((sum, slab) => sum + slab.length, 0);
const usage = process.resourceUsage();
const cpuSeconds = (usage.userCPUTime + usage.systemCPUTime) / 1e6;
console.log(JSON.stringify({ seconds, cpuSeconds, peakBytes: usage.maxRSS * 1024, values }));
