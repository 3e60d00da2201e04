/**
 * One global grid from weather files to a netCDF file, in a separate process; prints one line of JSON. The program is up
 * and has answered the same for another hour, as a service has; the weather of this hour is not in memory.
 */

import { createWriteStream } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openCompute } from '@contrails/engine/compute';
import { levelEvaluator } from '@contrails/engine/grid/evaluate';
import { gridCells } from '@contrails/engine/grid/layout';
import { encodeLevel, polygonShape } from '@contrails/engine/grid/level';
import type { BinaryModel } from '@contrails/engine/grid/models';
import { type BinaryRequest, weatherRequest } from '@contrails/engine/grid/request';
import { createResults } from '@contrails/platform/http/results';
import { HOUR_MS } from '@contrails/runtime';
import { type Met, openMet, openSource } from '../../packages/met/src/index.ts';
import { obtainGrid } from '../../packages/service/src/families/grid/obtain.ts';
import { cpuNanoseconds } from '../support/cpu-clock.ts';

/** From the hour that is measured to one that is not. */
const WARM_UP_MS = HOUR_MS;

const [file = '', time = '', model = 'sac', output = ''] = process.argv.slice(2);
const request: BinaryRequest = {
  model: model as BinaryModel,
  timeMs: Date.parse(`${time}Z`),
  cells: gridCells(undefined),
  format: 'netcdf',
  layout: 'default',
  shape: polygonShape({ interiors: true, simplify: 3, convex_hull: false }),
  bufferCells: 0,
  reached: gridCells(undefined),
  engineEfficiency: 0.3,
  scaling: { name: 'exponential_boost_latitude_customization', options: {} },
  source: undefined,
};

const source = await openSource({
  name: 'era5',
  kind: 'netcdf',
  provider: 'ECMWF',
  dataset: 'ERA5',
  product: 'reanalysis',
  paths: [basename(file)],
  directory: dirname(file),
});
const met = openMet({ sources: [source], memoryBytes: 2 * 2 ** 30 });
const compute = openCompute({ threads: 'auto', maxQueue: 8 });
const services = { met: { open: async () => met }, compute, results: createResults(2 ** 28) };
const { signal } = new AbortController();
// Another hour: its weather is of no use for the one that is measured.
await obtainGrid(services, { ...request, timeMs: request.timeMs + WARM_UP_MS }, { signal });
const { misses } = met.statistics();

const started = performance.now();
const grid = await obtainGrid(services, request, { signal });
const body = await grid.open(undefined);
await pipeline(Buffer.isBuffer(body) ? Readable.from([body]) : body, createWriteStream(output));
const seconds = (performance.now() - started) / 1000;
if (met.statistics().misses === misses) throw new Error('the weather was in memory already');
const usage = process.resourceUsage();
const answer = {
  seconds,
  cpuSeconds: (usage.userCPUTime + usage.systemCPUTime) / 1e6,
  peakBytes: usage.maxRSS * 1024,
  weatherBytes: met.statistics().usedBytes,
};
const polygons = model === 'issr' ? await measurePolygons(met) : {};
console.log(JSON.stringify({ ...answer, ...polygons }));
await Promise.all([compute.close(), met.close()]);

/** CPU time of the polygons and their JSON on one core, the code being warm, without evaluating the cells. */
async function measurePolygons(met: Met): Promise<{ polygonSeconds: number; polygonBytes: number }> {
  const { levels: weather, release } = await met.openWeather(weatherRequest(request));
  const { cells, shape } = request;
  const evaluate = levelEvaluator({ ...request, ...cells, weather });
  let spent = 0;
  let bytes = 0;
  for (const round of ['warm', 'measured']) {
    spent = 0;
    bytes = 0;
    for (const flightLevel of cells.flightLevels) {
      const plane = { ...cells, flightLevel, values: evaluate(flightLevel), properties: { round } };
      const before = cpuNanoseconds();
      const text = encodeLevel(plane, {
        format: 'geojson',
        shape,
        test: { cells: 'at-least', value: 0.5, fillValue: 0 },
      });
      spent += cpuNanoseconds() - before;
      bytes += text.reduce((sum, part) => sum + part.length, 0);
    }
  }
  release();
  return { polygonSeconds: spent / 1e9, polygonBytes: bytes };
}
