/** Grids of a GPU against those of the CPU, on a GPU that is a program. */
import { openMet } from '@contrails/met';
import { type GpuDevice, lackOf } from '@contrails/physics/gpu';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { gridDeviations, openDevice } from '../../../../test/support/gpu.ts';
import { readTools } from '../../../../test/support/tools.ts';
import { type Compute, openCompute } from '../../src/compute.ts';
import { findGpus } from '../../src/gpu/adapters.ts';
import { type GpuSettings, GridGpu } from '../../src/gpu/grid-gpu.ts';
import { measureGpu } from '../../src/gpu/measure.ts';
import { type ComputedLevels, computeLevels, type LevelsRequest } from '../../src/grid/compute-levels.ts';
import { gridCells } from '../../src/grid/layout.ts';

const { vulkan } = readTools();
/** Two devices of one program; shaders take it longer to compile than to run, so all tests use these. */
const devices = [await openDevice(), await openDevice()] as const;
const why = devices.find((device) => typeof device === 'string');

const TIME_MS = Date.UTC(2024, 5, 12, 6);
const LEVELS = [270, 310, 330, 350, 370, 390, 410, 440];
const met = openMet({
  sources: [openSynthetic({ name: 'demo', resolutionDeg: 2, seed: 1 })],
  memoryBytes: 2 ** 30,
});
const onCpu = openCompute({ threads: 2, maxQueue: 100 });
interface Pool {
  readonly pool: GridGpu;
  readonly told: string[];
  readonly compute: Compute;
}
const pools: Pool[] = [];
const onOne = poolOf({ SwiftShader: devices[0] });
afterAll(async () => {
  delete process.env.VK_ICD_FILENAMES;
  await onCpu.close(0);
  for (const { compute, pool } of pools) {
    await compute.close(0);
    await pool.close();
  }
  await met.close();
});

/** Devices under other names. */
function poolOf(
  named: Readonly<Record<string, GpuDevice | string>>,
  settings: Partial<GpuSettings> = {},
): Pool {
  const told: string[] = [];
  const gpus = Object.entries(named).map(([name, device]) => ({ name, device: device as GpuDevice }));
  const pool = new GridGpu(
    { device: 'gpu', memoryMib: 256, onNotice: (text) => told.push(text), ...settings },
    async () => ({ gpus, reasons: [] }),
  );
  const made = { pool, told, compute: openCompute({ threads: 2, maxQueue: 100, gpu: pool }) };
  pools.push(made);
  return made;
}

const request = (more: Partial<LevelsRequest> = {}): LevelsRequest => ({
  timeMs: TIME_MS,
  aircraft: { type: 'B738' },
  cells: gridCells(undefined, LEVELS, 0.5),
  humidityScaling: 'exponential_boost_latitude_customization',
  ...more,
});

function expectAgreement(cpu: ComputedLevels, device: ComputedLevels, minContrails: number): void {
  const { contrails, onOneSide, total, median, otherIndex } = gridDeviations(cpu, device);
  expect(cpu.device).toBeUndefined();
  expect(device.device).toBe('SwiftShader');
  expect(contrails).toBeGreaterThan(minContrails);
  expect(onOneSide).toBeLessThanOrEqual(1e-3);
  expect(total).toBeLessThanOrEqual(1e-3);
  expect(median).toBeLessThanOrEqual(1e-4);
  expect(otherIndex).toBeLessThanOrEqual(1e-3);
}

async function expectCpu(computed: ComputedLevels, asked: Partial<LevelsRequest>): Promise<void> {
  const cpu = await computeLevels({ compute: onCpu, met }, request(asked));
  expect(computed.device).toBeUndefined();
  expect(computed.efPerM).toEqual(cpu.efPerM);
}

// A program compiles the shaders for a processor, which takes it longer than the grid.
describe.skipIf(why !== undefined)(
  why === undefined ? 'contrail grids' : `skipped: ${why}`,
  { timeout: 600_000 },
  () => {
    const few = { cells: gridCells(undefined, [330, 350], 0.25) };
    /** Shaders of segments with a direction take less time to compile. */
    const directed = { scaling: { name: 'none', options: {} }, azimuthDeg: 90 } as const;

    test('are those of the CPU in single precision', async () => {
      const cpu = await computeLevels({ compute: onCpu, met }, request());
      const device = await computeLevels({ compute: onOne.compute, met }, request());
      expectAgreement(cpu, device, 5000);
      expect(device.report.cellsOutside).toEqual(cpu.report.cellsOutside);
      expect(Math.abs(device.report.plumeSteps / cpu.report.plumeSteps - 1)).toBeLessThan(1e-3);
      expect(onOne.told).toEqual([expect.stringMatching(/the GPU .* computes contrail grids/)]);
    });

    test('of two requests at once are those of each alone', async () => {
      const ask = (type: 'B738' | 'A320') =>
        computeLevels({ compute: onOne.compute, met }, request({ ...few, aircraft: { type } }));
      const [b738, a320] = await Promise.all([ask('B738'), ask('A320')]);
      const [b738Alone, a320Alone] = [await ask('B738'), await ask('A320')];
      expect(b738.efPerM).toEqual(b738Alone.efPerM);
      expect(a320.efPerM).toEqual(a320Alone.efPerM);
      expect(a320.efPerM).not.toEqual(b738.efPerM);
    });

    test.each([
      ['a direction', directed],
      ['histogram matching', { scaling: { name: 'histogram_matching', options: {} } }],
    ] as const)('with %s are those of the CPU', async (_, custom) => {
      const cells = gridCells(undefined, [310, 330, 350, 370, 390], 0.5);
      const cpu = await computeLevels({ compute: onCpu, met }, request({ cells, custom }));
      const device = await computeLevels({ compute: onOne.compute, met }, request({ cells, custom }));
      expectAgreement(cpu, device, 1000);
    });

    test('are computed by the CPU where the device does not answer, which nothing waits for', async () => {
      const device = (await openDevice()) as GpuDevice;
      const destroy = vi.spyOn(device, 'destroy');
      const once = vi.spyOn(process, 'once').mockReturnThis();
      const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
      const compile = vi.spyOn(device, 'createComputePipelineAsync').mockReturnValue(new Promise(() => {}));
      const silent = poolOf({ silent: device }, { maxSilenceMs: 200 });
      await expectCpu(await computeLevels({ compute: silent.compute, met }, request(few)), few);
      expect(silent.told.at(-1)).toBe(
        'the GPU silent failed (it has not answered for 0.2 s); the CPU computes grids until this process ends',
      );
      await silent.pool.close();
      // A device that hangs blocks the thread that destroys it, and the end of the process.
      expect(destroy).not.toHaveBeenCalled();
      const atExit = once.mock.calls.find(([event]) => event === 'exit')?.[1];
      atExit?.(0);
      expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGKILL');
      for (const spy of [destroy, once, kill, compile]) spy.mockRestore();
      device.destroy();
    });

    test('are computed by the CPU where the device has fewer buffers than the shaders', async () => {
      const small = poolOf({ small: await openDevice({}) });
      await expectCpu(await computeLevels({ compute: small.compute, met }, request(few)), few);
      expect(small.told.at(-1)).toMatch(/the GPU small failed .*; the CPU computes grids/);
    });

    test('are computed by the CPU, without blame, where an hour of weather is too large to bind', async () => {
      const device = (await openDevice()) as GpuDevice;
      const limits = { maxStorageBufferBindingSize: 2 ** 20, maxBufferSize: 2 ** 20 };
      const narrow = poolOf({ narrow: Object.defineProperty(device, 'limits', { value: limits }) });
      await expectCpu(await computeLevels({ compute: narrow.compute, met }, request(few)), few);
      expect(narrow.told).toEqual([expect.stringContaining('computes contrail grids')]);
    });

    test('of two devices are those of one, of the other where one is lost, and then of the CPU', async () => {
      const asked = { ...few, custom: directed };
      const one = await computeLevels({ compute: onOne.compute, met }, request(asked));
      const { pool, told, compute } = poolOf({ first: devices[0], second: devices[1] });
      const both = await computeLevels({ compute, met }, request(asked));
      expect(both.device?.split(' and ').sort()).toEqual(['first', 'second']);
      expect(both.efPerM).toEqual(one.efPerM);
      expect(both.ageHours).toEqual(one.ageHours);
      expect(both.report).toEqual(one.report);

      const [first, second] = await pool.devices();
      const other = computeLevels({ compute, met }, request(asked));
      first?.lose();
      expect((await other).device).toBe('second');
      expect((await other).efPerM).toEqual(one.efPerM);
      expect(told.at(-1)).toMatch(/the GPU first failed .*; the GPU second computes grids/);

      const none = computeLevels({ compute, met }, request(asked));
      second?.lose();
      await expectCpu(await none, asked);
      expect(told.at(-1)).toMatch(/the GPU second failed .*; the CPU computes grids/);
    });

    test('find their adapters, by parts of the names too', async () => {
      process.env.VK_ICD_FILENAMES = vulkan?.driver;
      const pool = new GridGpu({ device: 'gpu', memoryMib: 64, onNotice: () => {} });
      const [open, ...others] = await pool.devices();
      expect([open?.name, others]).toEqual([expect.stringMatching(/SwiftShader/), []]);
      await pool.close();
      const named = await findGpus('auto', ['swiftshader']);
      expect(named.gpus.map(({ name }) => name)).toEqual([open?.name]);
      expect(named.reasons).toEqual([]);
      const [found] = named.gpus;
      if (found === undefined) throw new Error('SwiftShader is gone');
      const { bytesPerS, pairsPerS } = await measureGpu(found.device);
      found.device.destroy();
      expect(bytesPerS).toBeGreaterThan(1e6);
      expect(pairsPerS).toBeGreaterThan(1e5);
      const absent = await findGpus('auto', ['another one']);
      expect(absent.gpus).toEqual([]);
      expect(absent.reasons).toEqual([
        expect.stringMatching(/^no adapter is called another one; there is .*SwiftShader/),
      ]);
      expect((await findGpus('auto')).reasons).toEqual([expect.stringMatching(/imitates a GPU/)]);
    });
  },
);

test('an adapter with too few buffers is not used', () => {
  const adapter = {
    limits: { maxStorageBuffersPerShaderStage: 8 },
    info: { vendor: 'a vendor', description: '', device: 'a small GPU', architecture: '' },
    requestDevice: () => Promise.reject(new Error('is not asked')),
  };
  expect(lackOf(adapter)).toBe('a small GPU binds 8 storage buffers of the 10 that grids need');
});

test('a machine without a GPU computes with the CPU and says so once', async () => {
  const told: string[] = [];
  const none = new GridGpu({ device: 'cpu', memoryMib: 1, onNotice: (text) => told.push(text) });
  expect(await none.devices()).toEqual([]);
  expect(told).toEqual([]);
});
