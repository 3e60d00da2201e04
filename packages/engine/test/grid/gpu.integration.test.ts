/** Grids of a GPU against those of the CPU, on a GPU that is a program. */
import { openMet } from '@contrails/met';
import { type GpuDevice, lackOf, USAGE } from '@contrails/physics/gpu';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, describe, expect, test } from 'vitest';
import { gridDeviations, openDevice } from '../../../../test/support/gpu.ts';
import { readTools } from '../../../../test/support/tools.ts';
import { openCompute } from '../../src/compute.ts';
import { findGpus } from '../../src/gpu/adapters.ts';
import { GridGpu } from '../../src/gpu/grid-gpu.ts';
import { measureGpu } from '../../src/gpu/measure.ts';
import { type ComputedLevels, computeLevels, type LevelsRequest } from '../../src/grid/compute-levels.ts';
import { gridCells } from '../../src/grid/layout.ts';

const { vulkan, missing } = readTools();
if (vulkan !== null) process.env.VK_ICD_FILENAMES = vulkan.driver;
const found =
  vulkan === null ? { gpus: [], reasons: [missing.vulkan ?? 'no Vulkan'] } : await findGpus('gpu');
for (const { device } of found.gpus) device.destroy();
const why = found.gpus.length === 0 ? found.reasons.join() : undefined;

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

  test.each([
    ['a direction', { scaling: { name: 'none', options: {} }, azimuthDeg: 90 }],
    ['histogram matching', { scaling: { name: 'histogram_matching', options: {} } }],
  ] as const)(
    'with %s are those of the CPU',
    async (_, custom) => {
      const cells = gridCells(undefined, [310, 330, 350, 370, 390], 0.5);
      const cpu = await computeLevels({ compute: onCpu, met }, request({ cells, custom }));
      const device = await computeLevels({ compute: onGpu, met }, request({ cells, custom }));
      expect(device.device).toMatch(/SwiftShader/);
      const { contrails, onOneSide, total, median, otherIndex } = gridDeviations(cpu, device);
      expect(contrails).toBeGreaterThan(1000);
      expect(onOneSide).toBeLessThanOrEqual(1e-3);
      expect(total).toBeLessThanOrEqual(1e-3);
      expect(median).toBeLessThanOrEqual(1e-4);
      expect(otherIndex).toBeLessThanOrEqual(1e-3);
    },
    600_000,
  );

  test('are those of one device on two devices, and on the other when one is lost', async () => {
    const cells = gridCells(undefined, [330, 350], 0.25);
    const alone = await computeLevels({ compute: onGpu, met }, request({ cells }));
    const { pool, told, compute } = await poolOf(['first', 'second'], {});
    const both = await computeLevels({ compute, met }, request({ cells }));
    expect(both.device).toBe('first and second');
    expect(both.efPerM).toEqual(alone.efPerM);
    expect(both.ageHours).toEqual(alone.ageHours);
    expect(both.report).toEqual(alone.report);

    const [first] = await pool.devices();
    const work = computeLevels({ compute, met }, request({ cells }));
    first?.lose();
    const one = await work;
    expect(one.device).toBe('second');
    expect(one.efPerM).toEqual(alone.efPerM);
    expect(told.at(-1)).toMatch(/the GPU first failed .*; the GPU second computes grids/);
    await compute.close(0);
    await pool.close();
  }, 600_000);

  test('are computed by the CPU where the device is lost', async () => {
    const cells = gridCells(undefined, [330, 350], 0.25);
    const { pool, told, compute } = await poolOf(['the only one'], {});
    const [open] = await pool.devices();
    const work = computeLevels({ compute, met }, request({ cells }));
    open?.lose();
    await expectCpu(await work, cells);
    expect(told.at(-1)).toMatch(/the GPU the only one failed .*; the CPU computes grids/);
    await compute.close(0);
    await pool.close();
  });

  test('are computed by the CPU where the device does not answer', async () => {
    const cells = gridCells(undefined, [330, 350], 0.25);
    const { pool, told, compute, devices } = await poolOf(['busy'], { maxSilenceMs: 200 });
    keepBusy(devices[0] as GpuDevice);
    await expectCpu(await computeLevels({ compute, met }, request({ cells })), cells);
    expect(told.at(-1)).toMatch(/the GPU busy failed \(it has not answered for 0.2 s\); the CPU/);
    await compute.close(0);
    await pool.close();
  }, 600_000);

  test('are computed by the CPU where the device binds too little', async () => {
    const cells = gridCells(undefined, [330, 350], 0.25);
    const { pool, told, compute } = await poolOf(['small'], {}, {});
    await expectCpu(await computeLevels({ compute, met }, request({ cells })), cells);
    expect(told.at(-1)).toMatch(/the GPU small failed .*storage buffers.*; the CPU/i);
    await compute.close(0);
    await pool.close();
  }, 600_000);

  test('are computed by the CPU where an hour of the weather is larger than a device binds', async () => {
    const cells = gridCells(undefined, [330, 350], 0.25);
    const { pool, told, compute } = await poolOf(['narrow'], {});
    const [open] = await pool.devices();
    Object.assign(open?.contrails as object, { fits: () => false });
    await expectCpu(await computeLevels({ compute, met }, request({ cells })), cells);
    expect(told).toEqual([expect.stringContaining('computes contrail grids')]);
    await compute.close(0);
    await pool.close();
  });

  test('an adapter with too few buffers is not used', () => {
    const adapter = {
      limits: { maxStorageBuffersPerShaderStage: 8 },
      info: { vendor: 'a vendor', description: '', device: 'a small GPU', architecture: '' },
      requestDevice: () => Promise.reject(new Error('is not asked')),
    };
    expect(lackOf(adapter)).toBe('a small GPU binds 8 storage buffers of the 10 that grids need');
  });

  test('adapters are found by parts of their names', async () => {
    const named = await findGpus('auto', ['swiftshader']);
    expect(named.gpus.map(({ name }) => name)).toEqual([expect.stringMatching(/SwiftShader/)]);
    expect(named.reasons).toEqual([]);
    for (const { device } of named.gpus) device.destroy();
    const other = await findGpus('auto', ['another one']);
    expect(other.gpus).toEqual([]);
    expect(other.reasons).toEqual([
      expect.stringMatching(/^no adapter is called another one; there is .*SwiftShader/),
    ]);
    expect((await findGpus('auto')).reasons).toEqual([expect.stringMatching(/imitates a GPU/)]);
  });

  test('what a device reaches is measured', async () => {
    const device = await openDevice();
    if (typeof device === 'string') throw new Error(device);
    const { bytesPerS, pairsPerS } = await measureGpu(device);
    device.destroy();
    expect(bytesPerS).toBeGreaterThan(1e6);
    expect(pairsPerS).toBeGreaterThan(1e5);
  }, 60_000);
});

type Settings = ConstructorParameters<typeof GridGpu>[0];

/** A pool of devices that are one program. */
async function poolOf(
  names: readonly string[],
  settings: Partial<Settings>,
  limits?: Readonly<Record<string, number>>,
) {
  const told: string[] = [];
  const devices = await Promise.all(names.map(() => openDevice(limits)));
  const gpus = names.map((name, k) => ({ name, device: devices[k] as GpuDevice }));
  const pool = new GridGpu(
    { device: 'gpu', memoryMib: 256, onNotice: (text) => told.push(text), ...settings },
    async () => ({ gpus, reasons: [] }),
  );
  return { pool, told, devices, compute: openCompute({ threads: 2, maxQueue: 100, gpu: pool }) };
}

async function expectCpu(computed: ComputedLevels, cells: LevelsRequest['cells']): Promise<void> {
  const cpu = await computeLevels({ compute: onCpu, met }, request({ cells }));
  expect(computed.device).toBeUndefined();
  expect(computed.efPerM).toEqual(cpu.efPerM);
}

/** Gives a device work for some seconds. */
function keepBusy(device: GpuDevice): void {
  const code = `@group(0) @binding(0) var<storage, read_write> number: array<f32>;
@compute @workgroup_size(1)
fn main() {
  var x = number[0];
  for (var k = 0u; k < 40000000u; k++) { x = exp(x * 0.5); }
  number[0] = x;
}`;
  const module = device.createShaderModule({ code });
  const buffer = device.createBuffer({ size: 16, usage: USAGE.storage });
  void device
    .createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } })
    .then((pipeline) => {
      const group = device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer } }],
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(1);
      pass.end();
      device.queue.submit([encoder.finish()]);
    });
}

test('a machine without a GPU computes with the CPU and says so once', async () => {
  const told: string[] = [];
  const none = new GridGpu({ device: 'cpu', memoryMib: 1, onNotice: (text) => told.push(text) });
  expect(await none.devices()).toEqual([]);
  expect(told).toEqual([]);
});
