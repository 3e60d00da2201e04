/** Grids of a GPU against those of the CPU, on a GPU that is a program. */
import { openMet } from '@contrails/met';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, describe, expect, test } from 'vitest';
import { gridDeviations } from '../../../../test/support/gpu.ts';
import { readTools } from '../../../../test/support/tools.ts';
import { openCompute } from '../../src/compute.ts';
import { findGpu, GridGpu } from '../../src/gpu/grid-gpu.ts';
import { computeLevels, type LevelsRequest } from '../../src/grid/compute-levels.ts';
import { gridCells } from '../../src/grid/layout.ts';

const { vulkan, missing } = readTools();
if (vulkan !== null) process.env.VK_ICD_FILENAMES = vulkan.driver;
const found = vulkan === null ? { reason: missing.vulkan ?? 'no Vulkan' } : await findGpu('gpu');
const why = 'reason' in found ? found.reason : undefined;

const TIME_MS = Date.UTC(2024, 5, 12, 6);
const LEVELS = [270, 310, 330, 350, 370, 390, 410, 440];
const notices: string[] = [];
const gpu = new GridGpu({ device: 'gpu', memoryMib: 256, onNotice: (text) => notices.push(text) });
const onCpu = openCompute({ threads: 2, maxQueue: 100 });
const onGpu = openCompute({ threads: 2, maxQueue: 100, gpu });
const met = openMet({
  sources: [openSynthetic({ name: 'demo', resolutionDeg: 2, seed: 1 })],
  memoryBytes: 2 ** 30,
});
afterAll(async () => {
  delete process.env.VK_ICD_FILENAMES;
  await Promise.all([gpu.close(), onCpu.close(0), onGpu.close(0)]);
  await met.close();
});

const request = (more: Partial<LevelsRequest> = {}): LevelsRequest => ({
  timeMs: TIME_MS,
  aircraft: { type: 'B738' },
  cells: gridCells(undefined, LEVELS, 0.5),
  humidityScaling: 'exponential_boost_latitude_customization',
  ...more,
});

describe.skipIf(why !== undefined)(why === undefined ? 'contrail grids' : `skipped: ${why}`, () => {
  test('are those of the CPU in single precision', async () => {
    const cpu = await computeLevels({ compute: onCpu, met }, request());
    const device = await computeLevels({ compute: onGpu, met }, request());
    expect(device.device, notices.join()).toMatch(/SwiftShader/);
    expect(cpu.device).toBeUndefined();
    const { contrails, onOneSide, total, median, otherIndex } = gridDeviations(cpu, device);
    expect(contrails).toBeGreaterThan(5000);
    expect(onOneSide).toBeLessThanOrEqual(1e-3);
    expect(total).toBeLessThanOrEqual(1e-3);
    expect(median).toBeLessThanOrEqual(1e-4);
    expect(otherIndex).toBeLessThanOrEqual(1e-3);
    expect(device.report.cellsOutside).toEqual(cpu.report.cellsOutside);
    expect(Math.abs(device.report.plumeSteps / cpu.report.plumeSteps - 1)).toBeLessThan(1e-3);
    expect(notices).toEqual([expect.stringMatching(/the GPU .* computes contrail grids/)]);
    // A program compiles the shaders for a processor, which takes it longer than the grid.
  }, 600_000);

  test('of two requests at once are those of each alone', async () => {
    const cells = gridCells(undefined, [330, 350], 0.25);
    const ask = (type: 'B738' | 'A320') =>
      computeLevels({ compute: onGpu, met }, request({ cells, aircraft: { type } }));
    const [b738, a320] = await Promise.all([ask('B738'), ask('A320')]);
    const [b738Alone, a320Alone] = [await ask('B738'), await ask('A320')];
    expect(b738.efPerM).toEqual(b738Alone.efPerM);
    expect(a320.efPerM).toEqual(a320Alone.efPerM);
    expect(a320.efPerM).not.toEqual(b738.efPerM);
  });

  test('with a direction are computed by the CPU', async () => {
    const custom = { scaling: { name: 'none', options: {} }, azimuthDeg: 90 } as const;
    const cells = gridCells(undefined, [350], 0.1);
    const { device } = await computeLevels({ compute: onGpu, met }, request({ cells, custom }));
    expect(device).toBeUndefined();
  });

  test('are computed by the CPU where the device is lost', async () => {
    const told: string[] = [];
    const fragile = new GridGpu({ device: 'gpu', memoryMib: 256, onNotice: (text) => told.push(text) });
    const compute = openCompute({ threads: 2, maxQueue: 100, gpu: fragile });
    const cells = gridCells(undefined, [330, 350], 0.25);
    const open = await fragile.obtain();
    const work = computeLevels({ compute, met }, request({ cells }));
    open?.lose();
    const computed = await work;
    const cpu = await computeLevels({ compute: onCpu, met }, request({ cells }));
    expect(computed.device).toBeUndefined();
    expect(computed.efPerM).toEqual(cpu.efPerM);
    expect(told.at(-1)).toMatch(/the GPU failed .*; the CPU computes grids/);
    await compute.close(0);
    await fragile.close();
  });
});

test('a machine without a GPU computes with the CPU and says so once', async () => {
  const told: string[] = [];
  const none = new GridGpu({ device: 'cpu', memoryMib: 1, onNotice: (text) => told.push(text) });
  expect(await none.obtain()).toBeUndefined();
  expect(told).toEqual([]);
});
