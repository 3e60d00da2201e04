/** Regions of a global quarter-degree level as polygons and GeoJSON on one core, versus pycontrails on the same planes. */
import { encodeGeojson, polygonsOf, simplificationOf } from '../packages/formats/src/index.ts';
import { cpuNanoseconds } from './support/cpu-clock.ts';
import { printBesidePeer, runPeer } from './support/peer.ts';

/** Waves of several lengths, different on every level; the peer has the same. */
const LEVELS = 18;
const BELT = { south: 40, west: -30, sizeDeg: 20 };

function plane(level: number, longitude: Float64Array, latitude: Float64Array): Float32Array {
  const values = new Float32Array(longitude.length * latitude.length);
  const waves = [
    [2, 3, 1],
    [11, 7, 0.8],
    [29, 23, 0.6],
    [83, 61, 0.4],
    [161, 131, 0.25],
  ] as const;
  longitude.forEach((lon, i) => {
    latitude.forEach((lat, j) => {
      let sum = 0;
      for (const [a, b, size] of waves)
        sum +=
          size * Math.sin((a * lon + 7 * level) / 57.3) * Math.cos((b * lat + 11 * level + 0.3 * lon) / 57.3);
      values[i * latitude.length + j] = sum > 0.7 ? 1 : 0;
    });
  });
  return values;
}

function axis(from: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, k) => from + k / 4);
}

const globe = { longitude: axis(-180, 1440), latitude: axis(-90, 721) };
const belt = {
  longitude: axis(BELT.west, 4 * BELT.sizeDeg + 1),
  latitude: axis(BELT.south, 4 * BELT.sizeDeg + 1),
};
const planes = Array.from({ length: LEVELS }, (_, level) => plane(level, globe.longitude, globe.latitude));
const small = plane(0, belt.longitude, belt.latitude);

async function write(values: Float32Array, axes: typeof globe, simplify: number): Promise<number> {
  const polygons = polygonsOf(values, axes.longitude, axes.latitude, {
    test: { cells: 'at-least', value: 0.5 },
    ...simplificationOf(simplify),
  });
  let bytes = 0;
  for await (const chunk of encodeGeojson([{ flightLevel: 350, polygons, properties: { level: 350 } }]))
    bytes += chunk.length;
  return bytes;
}

/** CPU time of one level, the mean of all; the second round counts, when the code is warm. */
async function globalMilliseconds(simplify: number): Promise<number> {
  let spent = 0;
  for (let round = 0; round < 2; round++) {
    const before = cpuNanoseconds();
    for (const values of planes) await write(values, globe, simplify);
    spent = cpuNanoseconds() - before;
  }
  return spent / LEVELS / 1e6;
}

async function smallMilliseconds(): Promise<number> {
  const runs = 200;
  const before = cpuNanoseconds();
  for (let run = 0; run < runs; run++) await write(small, belt, 3);
  return (cpuNanoseconds() - before) / runs / 1e6;
}

const ours: Record<string, number> = {};
for (const simplify of [0, 3, 10])
  ours[`global level, simplify ${simplify}`] = await globalMilliseconds(simplify);
ours['20° × 20°, simplify 3'] = await smallMilliseconds();
printBesidePeer('ms CPU', ours, runPeer('polygons'));
