/** Samples weather that another thread opened. */
import { parentPort, workerData } from 'node:worker_threads';
import { weatherOf } from '../../src/interpolate/weather.ts';

const { levels, radiation, points } = workerData;
const weather = weatherOf(levels, radiation);
const [temperature, shortwave, longwave] = [new Float64Array(1), new Float64Array(1), new Float64Array(1)];
weather.sample([temperature], points, 1);
weather.sampleRadiation(shortwave, longwave, points, 1);
parentPort?.postMessage({
  temperature: temperature[0],
  shortwave: shortwave[0],
  shares: levels.slabs[0].buffer instanceof SharedArrayBuffer,
});
