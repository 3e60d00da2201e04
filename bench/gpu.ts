/**
 * Contrail grids by the CPU and by the GPU of this machine in the same run: a global hour on all levels and where its time goes, how
 * the two differ, and the device with more and more cells and longer lives. docs/gpu.md takes its figures from it.
 *
 * BENCH_WEATHER_DEG is the resolution of the weather (1), BENCH_CELLS the cells per degree (4), BENCH_THREADS the threads of the
 * CPU (all), BENCH_RUNS the runs of which the quickest counts (3), BENCH_CPU whether the CPU computes too (1), BENCH_FORECAST how
 * many hours of a forecast of all aircraft are computed, encoded and written (0; a forecast has 59), BENCH_LANES how many
 * of its parts are under way at once (4), BENCH_MEMORY_GIB the weather that is kept in memory (32), BENCH_DEVICES how many devices of
 * each adapter work side by side (1).
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCompute } from '@contrails/engine/compute';
import { findGpus } from '@contrails/engine/gpu/adapters';
import { GridGpu } from '@contrails/engine/gpu/grid-gpu';
import { measureGpu } from '@contrails/engine/gpu/measure';
import { AIRCRAFT_CLASS_NAMES, COCIP_AIRCRAFT_TYPES, plannedAircraft } from '@contrails/engine/grid/aircraft';
import {
  type ComputedLevels,
  computeLevels,
  encodeLevels,
  type LevelsRequest,
} from '@contrails/engine/grid/compute-levels';
import { FLIGHT_LEVELS, gridCells } from '@contrails/engine/grid/layout';
import { openMet } from '@contrails/met';
import type { GpuSeconds } from '@contrails/physics/gpu';
import { openSynthetic } from '@contrails/testbed/weather';
import { gridDeviations } from '../test/support/gpu.ts';

const setting = (name: string, otherwise: number) => Number(process.env[`BENCH_${name}`] ?? otherwise);
const resolution = setting('WEATHER_DEG', 1);
const cellsPerDegree = setting('CELLS', 4);
const threads = setting('THREADS', availableParallelism());
const runs = setting('RUNS', 3);
const print = (line: object) => console.log(JSON.stringify(line));
const rounded = (value: number) => Number(value.toPrecision(4));
const found = await findGpus('gpu');
if (found.gpus.length === 0) {
  console.log(`there is nothing to measure: ${found.reasons.join('; ')}`);
  process.exit(0);
}
for (const { device, name } of found.gpus) {
  const { bytesPerS, pairsPerS } = await measureGpu(device);
  print({
    what: 'the device alone',
    name,
    copiedBytesPerS: rounded(bytesPerS),
    pairsPerS: rounded(pairsPerS),
  });
  device.destroy();
}
const HOUR_MS = 3_600_000;
const TIME_MS = Date.UTC(2024, 5, 12, 6);
const SCALING = 'exponential_boost_latitude_customization';
const gpu = new GridGpu(
  { device: 'gpu', memoryMib: 32_768, onNotice: (text) => console.error(text) },
  async (...wanted) => {
    const all = await Promise.all(Array.from({ length: setting('DEVICES', 1) }, () => findGpus(...wanted)));
    return { gpus: all.flatMap(({ gpus }) => gpus), reasons: all[0]?.reasons ?? [] };
  },
);
const met = openMet({
  sources: [openSynthetic({ name: 'demo', resolutionDeg: resolution, seed: 1 })],
  memoryBytes: setting('MEMORY_GIB', 32) * 2 ** 30,
});
const onCpu = openCompute({ threads, maxQueue: 4 });
const onGpu = openCompute({ threads, maxQueue: 4, gpu });

interface Measured {
  readonly seconds: number;
  /** What of them the device took. */
  readonly ofDevice: GpuSeconds;
  readonly value: ComputedLevels;
}

async function measured(work: () => Promise<ComputedLevels>): Promise<Measured> {
  const started = performance.now();
  const value = await work();
  const seconds = (performance.now() - started) / 1000;
  const [device] = await gpu.devices();
  if (device === undefined) throw new Error('the GPU does not open');
  return { seconds, ofDevice: device.contrails.lastSeconds, value };
}

/** The quickest run. */
async function best(work: () => Promise<ComputedLevels>): Promise<Measured> {
  let quickest = await measured(work);
  for (let run = 1; run < runs; run++) {
    const other = await measured(work);
    if (other.seconds < quickest.seconds) quickest = other;
  }
  return quickest;
}

const hour = (
  compute: typeof onCpu,
  levels: readonly number[] = FLIGHT_LEVELS,
  more: Partial<LevelsRequest> = {},
) =>
  computeLevels(
    { compute, met },
    {
      timeMs: TIME_MS,
      aircraft: { type: 'B738' },
      cells: gridCells(undefined, levels, cellsPerDegree),
      humidityScaling: SCALING,
      ...more,
    },
  );

function described(what: string, { seconds, ofDevice, value }: Measured): void {
  const { contrails, plumeSteps } = value.report;
  const { longitude, latitude, flightLevels } = value.cells;
  const { upload, form, follow, download } = ofDevice;
  const device = {
    uploadSeconds: rounded(upload),
    formSeconds: rounded(form),
    followSeconds: rounded(follow),
    downloadSeconds: rounded(download),
    otherSeconds: rounded(seconds - upload - form - follow - download),
    stepsPerFollowSecond: rounded(plumeSteps / follow),
    stepsPerDeviceSecond: rounded(plumeSteps / (form + follow)),
  };
  print({
    what,
    device: value.device ?? 'CPU',
    seconds: rounded(seconds),
    cells: longitude.length * latitude.length * flightLevels.length,
    contrails,
    plumeSteps,
    stepsPerSecond: rounded(plumeSteps / seconds),
    ...(value.device === undefined ? {} : device),
  });
}

described(
  'first level: weather read, shaders compiled, weather uploaded',
  await measured(() => hour(onGpu, [350])),
);
const byGpu = await best(() => hour(onGpu));
described('a global hour', byGpu);

// Hours that follow each other: each needs one more hour of weather on the device.
const later = await measured(() => hour(onGpu, FLIGHT_LEVELS, { timeMs: TIME_MS + HOUR_MS }));
described('the next hour, its weather read and uploaded', later);
const aircraft = plannedAircraft(AIRCRAFT_CLASS_NAMES, COCIP_AIRCRAFT_TYPES).slice(0, 4);
const startedFour = performance.now();
const inTwos = [aircraft.slice(0, 2), aircraft.slice(2)];
await Promise.all(
  inTwos.map(async (some) => {
    for (const one of some) await hour(onGpu, FLIGHT_LEVELS, { aircraft: one });
  }),
);
const perAircraft = (performance.now() - startedFour) / 1000 / aircraft.length;
print({
  what: 'an hour of one aircraft, two requests at a time',
  seconds: rounded(perAircraft),
});
const startedEncoding = performance.now();
await encodeLevels({ compute: onCpu }, byGpu.value, undefined);
const encoding = (performance.now() - startedEncoding) / 1000;
print({
  what: 'the same hour encoded by the threads',
  threads,
  seconds: rounded(encoding),
});
const uploading = Math.max(later.seconds - byGpu.seconds, 0);
print({
  what: '59 hours of 14 aircraft, from these, encoding beside the device',
  minutes: rounded((59 * (14 * Math.max(perAircraft, encoding) + uploading)) / 60),
});

const forecastHours = setting('FORECAST', 0);
if (forecastHours > 0) {
  const all = plannedAircraft(AIRCRAFT_CLASS_NAMES, COCIP_AIRCRAFT_TYPES);
  const parts = Array.from({ length: forecastHours }, (_, h) => all.map((one) => ({ h, one }))).flat();
  const folder = mkdtempSync(join(tmpdir(), 'contrails-bench-gpu-'));
  let bytes = 0;
  const started = performance.now();
  // The device computes one part while threads encode another.
  await Promise.all(
    Array.from({ length: setting('LANES', 4) }, async () => {
      for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
        const { h, one } = part;
        if (one === all[0]) console.error(`hour ${h}: ${rounded((performance.now() - started) / 1000)} s`);
        const value = await hour(onGpu, FLIGHT_LEVELS, {
          aircraft: one,
          timeMs: TIME_MS + h * HOUR_MS,
        });
        const encoded = await encodeLevels({ compute: onCpu }, value, undefined);
        for (const { efPerM, ageHours } of encoded) {
          bytes += efPerM.length + ageHours.length;
          appendFileSync(join(folder, `${h}`), efPerM);
          appendFileSync(join(folder, `${h}`), ageHours);
        }
      }
    }),
  );
  rmSync(folder, { recursive: true });
  const seconds = rounded((performance.now() - started) / 1000);
  print({
    what: `${forecastHours} hours of ${all.length} aircraft, read, computed, encoded and written`,
    seconds,
    bytes,
  });
}

for (const [levels, hours] of [
  [[350], 12],
  [[310, 330, 350, 370], 12],
  [FLIGHT_LEVELS, 3],
  [FLIGHT_LEVELS, 6],
] as const) {
  const custom = {
    scaling: { name: SCALING, options: {} },
    maxAgeHours: hours,
  } as const;
  described(`${levels.length} levels, ${hours} h of life`, await best(() => hour(onGpu, levels, { custom })));
}

if (setting('CPU', 1) === 1) {
  const byCpu = await best(() => hour(onCpu));
  described('a global hour', byCpu);
  print({
    what: 'GPU against CPU',
    ...gridDeviations(byCpu.value, byGpu.value),
  });
}
await Promise.all([onCpu.close(0), onGpu.close(0), gpu.close(), met.close()]);
process.exit(0);
