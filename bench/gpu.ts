/**
 * Contrail grids by the CPU and by the GPU of this machine in the same run: a global hour on all levels, and the device alone
 * with more and more contrails and longer lives. docs/gpu.md takes its figures from it.
 *
 * BENCH_WEATHER_DEG is the resolution of the weather (1), BENCH_CELLS the cells per degree (4), BENCH_THREADS the threads of the
 * CPU (all), BENCH_RUNS the runs of which the quickest counts (3).
 */
import { availableParallelism } from 'node:os';
import { openCompute } from '@contrails/engine/compute';
import { findGpu, GridGpu } from '@contrails/engine/gpu/grid-gpu';
import { cellAircraft, gridParamsOf, segmentOf } from '@contrails/engine/grid/cocip-model';
import { type ComputedLevels, computeLevels, contrailWeather } from '@contrails/engine/grid/compute-levels';
import { FLIGHT_LEVELS, gridCells, pressureOf } from '@contrails/engine/grid/layout';
import { scaleHumidityBy } from '@contrails/engine/weather/humidity-scaling';
import { openMet, weatherOf } from '@contrails/met';
import { cellSources } from '@contrails/physics/cocip';
import { humidityFormula, joinYoung, type YoungContrails, youngContrails } from '@contrails/physics/gpu';
import { openSynthetic } from '@contrails/testbed/weather';

const setting = (name: string, otherwise: number) => Number(process.env[`BENCH_${name}`] ?? otherwise);
const resolution = setting('WEATHER_DEG', 1);
const cellsPerDegree = setting('CELLS', 4);
const threads = setting('THREADS', availableParallelism());
const runs = setting('RUNS', 3);
const found = await findGpu('gpu');
if ('reason' in found) {
  console.log(`there is nothing to measure: ${found.reason}`);
  process.exit(0);
}
found.device.destroy();
const TIME_MS = Date.UTC(2024, 5, 12, 6);
const gpu = new GridGpu({ device: 'gpu', memoryMib: 16_384, onNotice: (text) => console.error(text) });
const met = openMet({
  sources: [openSynthetic({ name: 'demo', resolutionDeg: resolution, seed: 1 })],
  memoryBytes: 16 * 2 ** 30,
});
const onCpu = openCompute({ threads: threads, maxQueue: 4 });
const onGpu = openCompute({ threads: threads, maxQueue: 4, gpu });
const print = (line: object) => console.log(JSON.stringify(line));

/** The quickest run, and what it returned. */
async function best<T>(work: () => Promise<T>): Promise<{ readonly seconds: number; readonly value: T }> {
  let quickest: { seconds: number; value: T } | undefined;
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    const value = await work();
    const seconds = (performance.now() - started) / 1000;
    if (quickest === undefined || seconds < quickest.seconds) quickest = { seconds, value };
  }
  if (quickest === undefined) throw new Error('runs is at least 1');
  return quickest;
}

const hour = (levels: readonly number[], compute: typeof onCpu) =>
  computeLevels(
    { compute, met },
    {
      timeMs: TIME_MS,
      aircraft: { type: 'B738' },
      cells: gridCells(undefined, levels, cellsPerDegree),
      humidityScaling: 'exponential_boost_latitude_customization',
    },
  );

// The first run loads the weather, compiles the shader and uploads.
const started = performance.now();
await hour([350], onGpu);
print({ what: 'first level, with all set-up', seconds: (performance.now() - started) / 1000 });
const byGpu = await best(() => hour(FLIGHT_LEVELS, onGpu));
const byCpu = await best(() => hour(FLIGHT_LEVELS, onCpu));
const described = (name: string, { seconds, value }: { seconds: number; value: ComputedLevels }) => {
  const { contrails, plumeSteps } = value.report;
  print({ what: `a global hour, ${name}`, device: value.device ?? 'CPU', seconds, contrails, plumeSteps });
};
described('GPU', byGpu);
described('CPU', byCpu);
const sum = ({ efPerM }: ComputedLevels) =>
  efPerM.reduce((total, plane) => total + plane.reduce((all, ef) => all + ef, 0), 0);
print({ what: 'total energy forcing, GPU over CPU − 1', deviation: sum(byGpu.value) / sum(byCpu.value) - 1 });

// The device alone: contrails that are already formed.
const open = await gpu.obtain();
const formula = humidityFormula('exponential_boost_latitude_customization', { levelType: 'pressure' });
const segment = segmentOf(undefined);
if (open === undefined || formula === undefined || segment.kind !== 'free')
  throw new Error('there is no GPU');
const { levels, radiation, release } = await met.openWeather(contrailWeather({ timeMs: TIME_MS }));
const weather = {
  name: 'bench',
  levels,
  radiation,
  levelRange: [levels.level.knots[0] as number, levels.level.knots.at(-1) as number],
} as const;
const FREE_SHARE = segment.normalShearShare;
const young = formedContrails();
for (const copies of [1, 4, 16]) {
  const many = joinYoung(Array.from({ length: copies }, () => young));
  for (const hours of copies === 4 ? [3, 6, 12] : [12]) {
    const params = { ...gridParamsOf(undefined), maxAgeS: hours * 3600 };
    const follow = () =>
      open.contrails.follow(many, TIME_MS, weather, formula, segment.normalShearShare, params);
    await follow();
    const { seconds, value } = await best(follow);
    const steps = value.ageS.reduce((all, age) => all + Math.ceil(age / params.dtIntegrationS - 0.01), 0);
    print({
      what: 'the device alone',
      contrails: many.count,
      hours,
      seconds,
      steps,
      stepsPerSecond: steps / seconds,
      deviceSeconds: open.contrails.deviceSeconds,
      stepsPerDeviceSecond: steps / open.contrails.deviceSeconds,
    });
  }
}
release();
await Promise.all([onCpu.close(0), onGpu.close(0), gpu.close(), met.close()]);
process.exit(0);

/** Contrails of one level as they form. */
function formedContrails(): YoungContrails {
  const cells = gridCells(undefined, [350], cellsPerDegree);
  const pressure = pressureOf(350);
  const count = cells.longitude.length * cells.latitude.length;
  const rows = cells.latitude.length;
  const column = (of: (k: number) => number) => Float64Array.from({ length: count }, (_, k) => of(k));
  const points = {
    longitude: column((k) => cells.longitude[Math.floor(k / rows)] as number),
    latitude: column((k) => cells.latitude[k % rows] as number),
    level: column(() => pressure),
    timeMs: column(() => TIME_MS),
  };
  const air = weatherOf(levels, radiation);
  const scale = scaleHumidityBy({ name: 'exponential_boost_latitude_customization', options: {} });
  const { sources } = cellSources(points, air, scale, cellAircraft({ type: 'B738' }));
  return youngContrails(sources, air, scale, FREE_SHARE, gridParamsOf(undefined));
}
