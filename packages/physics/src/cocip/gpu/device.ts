/** Devices that grids can be computed on. */
import type { GpuDevice } from '../../vector/wgsl/web-gpu.ts';

/** The part of an adapter that is read. */
export interface GpuAdapter {
  readonly limits: object;
  readonly info: {
    readonly vendor: string;
    readonly description: string;
    readonly device: string;
    readonly architecture: string;
    readonly isFallbackAdapter?: boolean;
  };
  requestDevice(description: { readonly requiredLimits: Readonly<Record<string, number>> }): Promise<unknown>;
}

/** Storage buffers that the shaders bind. */
const STORAGE_BUFFERS = 10;

/** As its driver names it; browsers report only vendor and architecture. */
export function adapterName({ info: { description, device, vendor, architecture } }: GpuAdapter): string {
  const family = [vendor, architecture].filter((text) => text !== '').join(' ');
  return [description, device, family].find((text) => text !== '') ?? 'without a name';
}

/** Whether it is a program that imitates a GPU. */
export function isImitated(adapter: GpuAdapter): boolean {
  const { isFallbackAdapter = false } = adapter.info;
  return isFallbackAdapter || /swiftshader|llvmpipe|lavapipe/i.test(adapterName(adapter));
}

/** What an adapter lacks that grids need; undefined where it has all. */
export function lackOf(adapter: GpuAdapter): string | undefined {
  const { maxStorageBuffersPerShaderStage = 0 } = adapter.limits as Record<string, number>;
  return maxStorageBuffersPerShaderStage < STORAGE_BUFFERS
    ? `${adapterName(adapter)} binds ${maxStorageBuffersPerShaderStage} storage buffers of the ${STORAGE_BUFFERS} that grids need`
    : undefined;
}

/** A device with the limits that grids need, and buffers as large as there can be. */
export async function openDevice(adapter: GpuAdapter): Promise<GpuDevice> {
  const { maxStorageBufferBindingSize = 0, maxBufferSize = 0 } = adapter.limits as Record<string, number>;
  return (await adapter.requestDevice({
    requiredLimits: {
      maxStorageBuffersPerShaderStage: STORAGE_BUFFERS,
      maxStorageBufferBindingSize,
      maxBufferSize,
    },
  })) as GpuDevice;
}
