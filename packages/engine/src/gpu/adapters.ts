/** The GPUs of a machine, as Dawn finds them. */
import {
  adapterName,
  type GpuAdapter,
  type GpuDevice,
  isImitated,
  lackOf,
  openDevice,
} from '@contrails/physics/gpu';
import type { DeviceChoice } from './device.ts';
import { missingOfVulkan } from './vulkan.ts';

/** A device with what grids need. */
export interface FoundGpu {
  readonly device: GpuDevice;
  /** As its driver names it. */
  readonly name: string;
}

export interface FoundGpus {
  readonly gpus: readonly FoundGpu[];
  /** Why there are no others. */
  readonly reasons: readonly string[];
}

/**
 * Devices of this machine: all, or those whose names contain one of `adapters`. Programs that imitate a GPU are left out where
 * `wanted` is `auto`, or where there is a GPU, unless they are named.
 */
export async function findGpus(wanted: DeviceChoice, adapters: readonly string[] = []): Promise<FoundGpus> {
  const missing = missingOfVulkan();
  if (missing !== undefined) return { gpus: [], reasons: [missing] };
  const create = await loadDawn();
  if (create === undefined)
    return { gpus: [], reasons: ['the package webgpu is not installed; run "npm install webgpu"'] };
  const names = await adapterNames(create);
  const named = (text: string) => names.filter((name) => name.toLowerCase().includes(text.toLowerCase()));
  const reasons = adapters
    .filter((text) => named(text).length === 0)
    .map((text) => `no adapter is called ${text}; there is ${names.join(', ') || 'none'}`);
  for (const name of new Set(names.filter((one, k) => names.indexOf(one) !== k)))
    reasons.push(`only the first of the adapters that are called ${name} is used; run a worker for each`);
  const chosen = new Set(adapters.length === 0 ? names : adapters.flatMap(named));
  if (names.length === 0)
    reasons.push('no adapter was found; install the driver of the GPU with its Vulkan library');
  const opened: (FoundGpu & { readonly isImitation: boolean })[] = [];
  for (const name of chosen) {
    const adapter = await dawnOf(create, `adapter=${name}`).requestAdapter(PREFERENCE);
    if (adapter === null) continue;
    const lack = lackOf(adapter);
    if (lack === undefined)
      opened.push({
        device: await openDevice(adapter),
        name: name || adapterName(adapter),
        isImitation: isImitated(adapter),
      });
    else reasons.push(lack);
  }
  const isReal = (gpu: (typeof opened)[number]) => !gpu.isImitation;
  const mayImitate = adapters.length > 0 || (wanted === 'gpu' && !opened.some(isReal));
  const gpus = opened.filter((gpu) => isReal(gpu) || mayImitate);
  for (const one of opened) if (!gpus.includes(one)) one.device.destroy();
  if (gpus.length === 0)
    reasons.push(...opened.map(({ name }) => `${name} imitates a GPU, which is slower than the CPU`));
  return { gpus, reasons };
}

const PREFERENCE = { powerPreference: 'high-performance' } as const;

interface Dawn {
  requestAdapter(options: typeof PREFERENCE): Promise<GpuAdapter | null>;
}
type CreateDawn = (flags: readonly string[]) => Dawn;

/** Shaders here keep to their buffers; checks of every access are for programs that are not known. */
const TRUSTED = 'enable-dawn-features=disable_robustness';

/** By their flag. Dawn ends the process when what `create` returned is collected. */
const kept = new Map<string, Dawn>();

function dawnOf(create: CreateDawn, flag: string): Dawn {
  const dawn = kept.get(flag) ?? create([TRUSTED, flag]);
  kept.set(flag, dawn);
  return dawn;
}

/** No adapter is called so. Dawn has no list of adapters, but refuses an unknown one by listing those that there are. */
const UNKNOWN = 'contrails asks which adapters there are';

async function adapterNames(create: CreateDawn): Promise<string[]> {
  try {
    const adapter = await dawnOf(create, `adapter=${UNKNOWN}`).requestAdapter(PREFERENCE);
    return adapter === null ? [] : [adapter.info.device];
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return [...text.matchAll(/ \* backend: '.*', name: '(.*)'$/gm)].map(([, name]) => name as string);
  }
}

/** An optional package: without it grids are computed by the CPU. */
async function loadDawn(): Promise<CreateDawn | undefined> {
  const name = 'webgpu';
  const loaded = (await import(name).catch(() => undefined)) as { readonly create: CreateDawn } | undefined;
  return loaded?.create;
}
