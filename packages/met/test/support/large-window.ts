/** Reads a small window of a large file in a separate process and prints what it cost and gave. */

import { basename, dirname } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { peakMemoryBytes } from '../../../../test/support/peak-memory.ts';
import { openSource } from '../../src/sources/open.ts';

const path = process.argv[2] ?? '';
const start = 1_711_929_600_000;
const hour = HOUR_MS;
const source = await openSource({
  name: 'test',
  kind: path.endsWith('.zarr') ? 'zarr' : 'netcdf',
  directory: dirname(path),
  paths: [basename(path)],
  provider: 'ECMWF',
  dataset: 'ERA5',
  product: 'reanalysis',
});
const window = {
  variables: ['air_temperature', 'specific_humidity'],
  time: [start + 10 * hour, start + 12 * hour],
  level: [200, 250],
  latitude: [40, 60],
  longitude: [20, 40],
} as const;

const beforeBytes = process.memoryUsage.rss();
let peakBytes = beforeBytes;
const watch = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, 5);
const field = await source.read(window);
clearInterval(watch);
// The system's own peak counts what happened between two looks.
peakBytes = Math.max(peakBytes, peakMemoryBytes());
await source.close();

/** Values that are not the number of their place, see `write_large_netcdf.py` and `write_large_zarr.py`; rows run from north to south there. */
let wrong = 0;
field.slabs.forEach((slab, time) => {
  for (let i = 0; i < slab.length; i++) {
    const variable = i % 2;
    const level = Math.floor(i / 2) % 3;
    const column = Math.floor(i / 6) % 81;
    const row = 80 - Math.floor(i / (6 * 81));
    const expected = (((variable * 3 + time) * 3 + level) * 81 + row) * 81 + column;
    if (slab[i] !== expected) wrong++;
  }
});
const shape = [field.time, field.level, field.latitude, field.longitude].map(({ knots }) => knots.length);
console.log(JSON.stringify({ extraBytes: peakBytes - beforeBytes, shape, wrong }));
