/** A GPU that is a program, and how its grids may differ from those of the CPU. */
import { forcingIndex } from '@contrails/physics/cocip';
import type { GpuDevice } from '@contrails/physics/gpu';
import { readTools } from './tools.ts';

/** Storage buffers that shaders of grids bind; a device that is asked for without has fewer. */
const GRID_LIMITS = { maxStorageBuffersPerShaderStage: 10 };

/** As the engine opens a device: shaders keep to their buffers, and checks of every access take long to compile. */
const FLAGS = ['enable-dawn-features=disable_robustness'];

interface WebGpu {
  requestAdapter(): Promise<unknown>;
}

/** Of all test files of this process: Dawn ends the process when it is collected. */
let kept: WebGpu | undefined;

/** The device, or why there is none. It compiles each shader once, which takes a program longer than to run it. */
export async function openDevice(
  requiredLimits: Readonly<Record<string, number>> = GRID_LIMITS,
): Promise<GpuDevice | string> {
  const { vulkan, missing } = readTools();
  if (vulkan === null) return missing.vulkan ?? 'no Vulkan';
  process.env.VK_ICD_FILENAMES = vulkan.driver;
  const name = 'webgpu';
  const { create } = (await import(name)) as { create(flags: readonly string[]): WebGpu };
  kept ??= create(FLAGS);
  const adapter = (await kept.requestAdapter()) as {
    requestDevice(description: object): Promise<GpuDevice>;
  } | null;
  // What other test files of this process start is to find no such GPU.
  delete process.env.VK_ICD_FILENAMES;
  if (adapter === null) return 'no adapter; run the tests with `npm test`';
  return keepingPipelines(await adapter.requestDevice({ requiredLimits }));
}

/** Every shader has one entry point. */
function keepingPipelines(device: GpuDevice): GpuDevice {
  const [createModule, createPipeline] = [
    device.createShaderModule.bind(device),
    device.createComputePipelineAsync.bind(device),
  ];
  const modules = new Map<string, object>();
  const pipelines = new Map<object, ReturnType<typeof createPipeline>>();
  return Object.assign(device, {
    createShaderModule(description: { readonly code: string }) {
      const module = modules.get(description.code) ?? createModule(description);
      modules.set(description.code, module);
      return module;
    },
    createComputePipelineAsync(description: Parameters<GpuDevice['createComputePipelineAsync']>[0]) {
      const { module } = description.compute;
      const pipeline = pipelines.get(module) ?? createPipeline(description);
      pipelines.set(module, pipeline);
      return pipeline;
    },
  });
}

/** One plane for each level. */
interface Planes {
  /** [J m⁻¹] */
  readonly efPerM: readonly ArrayLike<number>[];
  /** 0 without a contrail. */
  readonly ageHours: readonly ArrayLike<number>[];
}

export interface GridDeviations {
  /** Cells with a contrail on both sides. */
  readonly contrails: number;
  /** Of the sum of energy forcing. */
  readonly total: number;
  /** Of the energy forcing of a cell. */
  readonly median: number;
  /** Cells with a contrail on one side only, over those with one on both. */
  readonly onOneSide: number;
  /** Share of cells with another index of the forecast. */
  readonly otherIndex: number;
}

export function gridDeviations(cpu: Planes, gpu: Planes): GridDeviations {
  const deviations: number[] = [];
  let [onOneSide, sumOfCpu, sumOfGpu, otherIndex, cells] = [0, 0, 0, 0, 0];
  cpu.efPerM.forEach((plane, level) => {
    const at = (planes: Planes['efPerM'], k: number) => planes[level]?.[k] as number;
    cells += plane.length;
    for (let k = 0; k < plane.length; k++) {
      const [ef, other] = [at(cpu.efPerM, k), at(gpu.efPerM, k)];
      const hasContrail = at(cpu.ageHours, k) !== 0;
      sumOfCpu += ef;
      sumOfGpu += other;
      if (hasContrail !== (at(gpu.ageHours, k) !== 0)) onOneSide++;
      else if (hasContrail) deviations.push(Math.abs(other / ef - 1));
      if (Math.round(forcingIndex(ef)) !== Math.round(forcingIndex(other))) otherIndex++;
    }
  });
  const sorted = Float64Array.from(deviations).sort();
  return {
    contrails: sorted.length,
    total: Math.abs(sumOfGpu / sumOfCpu - 1),
    median: sorted[sorted.length >> 1] ?? 0,
    onOneSide: onOneSide / Math.max(sorted.length, 1),
    otherIndex: otherIndex / cells,
  };
}
