/** The GPU of a machine for contrail grids: found when it is first needed, given up where it fails. */
import {
  adapterName,
  ContrailGpu,
  type GpuAdapter,
  type GpuDevice,
  isImitated,
  lackOf,
  openDevice,
} from '@contrails/physics/gpu';
import type { DeviceChoice } from './device.ts';
import { missingOfVulkan } from './vulkan.ts';

export interface GpuSettings {
  /** `auto`: a GPU where there is one, but no program that imitates one. */
  readonly device: DeviceChoice;
  /** Weather that is kept on the device. */
  readonly memoryMib: number;
  /** Told once what is used, and whenever that changes. */
  readonly onNotice: (text: string) => void;
}

/** A device that can be used. */
export interface OpenGpu {
  readonly contrails: ContrailGpu;
  /** As its driver names it. */
  readonly name: string;
  /** Has the device fail, as a driver does that is reset. */
  lose(): void;
  close(): void;
}

const MEBIBYTE = 2 ** 20;
/** After a failure the CPU computes for so long before the device is asked for again. */
const RETRY_MS = 60_000;

/** Gives the device to computations. */
export class GridGpu {
  readonly #settings: GpuSettings;
  #opening: Promise<OpenGpu | undefined> | undefined;
  #failedMs = Number.NEGATIVE_INFINITY;

  constructor(settings: GpuSettings) {
    this.#settings = settings;
  }

  /** The device, or undefined where the CPU has to do. */
  obtain(): Promise<OpenGpu | undefined> {
    if (this.#settings.device === 'cpu') return Promise.resolve(undefined);
    if (performance.now() - this.#failedMs < RETRY_MS) return Promise.resolve(undefined);
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Computations go on with the CPU for a while. */
  giveUp(error: unknown): void {
    this.#failedMs = performance.now();
    const opening = this.#opening;
    this.#opening = undefined;
    void opening?.then((gpu) => gpu?.close());
    this.#settings.onNotice(
      `the GPU failed (${error instanceof Error ? error.message : String(error)}); the CPU computes grids for ${RETRY_MS / 1000} s`,
    );
  }

  async close(): Promise<void> {
    (await this.#opening)?.close();
    this.#opening = undefined;
  }

  async #open(): Promise<OpenGpu | undefined> {
    const { device: wanted, memoryMib, onNotice } = this.#settings;
    const found = await findGpu(wanted).catch((error: unknown) => ({
      reason: error instanceof Error ? error.message : String(error),
    }));
    if ('reason' in found) {
      if (wanted === 'gpu') onNotice(`compute.device is gpu, but ${found.reason}; the CPU computes grids`);
      return undefined;
    }
    const { device, name } = found;
    onNotice(`the GPU ${name} computes contrail grids`);
    const contrails = new ContrailGpu(device, memoryMib * MEBIBYTE, () => performance.now());
    let isClosed = false;
    void device.lost.then(({ message }) => {
      if (!isClosed) this.giveUp(new Error(`the device was lost: ${message}`));
    });
    return {
      contrails,
      name,
      lose: () => device.destroy(),
      close: () => {
        isClosed = true;
        device.destroy();
      },
    };
  }
}

/** A device of this machine with what grids need, or why there is none. */
export async function findGpu(
  wanted: DeviceChoice,
): Promise<{ readonly device: GpuDevice; readonly name: string } | { readonly reason: string }> {
  const missing = missingOfVulkan();
  if (missing !== undefined) return { reason: missing };
  const gpu = await webGpu();
  if (gpu === undefined) return { reason: 'the package webgpu is not installed; run "npm install webgpu"' };
  const adapter = (await gpu.requestAdapter({ powerPreference: 'high-performance' })) as GpuAdapter | null;
  if (adapter === null)
    return { reason: 'no adapter was found; install the driver of the GPU with its Vulkan library' };
  const name = adapterName(adapter);
  if (wanted === 'auto' && isImitated(adapter))
    return { reason: `${name} imitates a GPU, which is slower than the CPU` };
  const lack = lackOf(adapter);
  return lack === undefined ? { device: await openDevice(adapter), name } : { reason: lack };
}

interface WebGpu {
  requestAdapter(options: { readonly powerPreference: 'high-performance' }): Promise<unknown>;
}

/** Dawn ends the process when what `create` returned is collected. */
let kept: WebGpu | undefined;

/** Shaders here keep to their buffers; checks of every access are for programs that are not known. */
const TRUSTED = 'enable-dawn-features=disable_robustness';

/** An optional package: without it grids are computed by the CPU. */
async function webGpu(): Promise<WebGpu | undefined> {
  if (kept !== undefined) return kept;
  const name = 'webgpu';
  const loaded = (await import(name).catch(() => undefined)) as
    | { create(flags: readonly string[]): WebGpu }
    | undefined;
  kept = loaded?.create([TRUSTED]);
  return kept;
}
