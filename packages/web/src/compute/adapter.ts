/** The GPU that the browser gives to the page and its workers. */
import { adapterName, type GpuAdapter, isImitated, lackOf } from '@contrails/physics/gpu';

/** The fastest one; null where there is none. */
export async function requestAdapter(): Promise<GpuAdapter | null> {
  if (!('gpu' in navigator)) return null;
  return navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
}

export type Availability =
  | { readonly name: string; readonly isSlow: boolean }
  /** Why grids cannot be computed here. */
  | { readonly reason: string };

let found: Promise<Availability> | undefined;

/** Whether grids can be computed on this device; asked once. */
export function availability(): Promise<Availability> {
  found ??= find().catch((error: unknown) => ({
    reason: `The browser refused its GPU (${error instanceof Error ? error.message : String(error)}).`,
  }));
  return found;
}

async function find(): Promise<Availability> {
  if (!isSecureContext)
    return { reason: 'Browsers give a GPU only to pages of https addresses and of this machine.' };
  if (!('gpu' in navigator)) return { reason: 'This browser has no WebGPU.' };
  const adapter = await requestAdapter();
  if (adapter === null) return { reason: 'This browser found no GPU on this device that pages may use.' };
  const lack = lackOf(adapter);
  if (lack !== undefined) return { reason: `The GPU of this device cannot do it: ${lack}.` };
  return { name: adapterName(adapter), isSlow: isImitated(adapter) };
}
