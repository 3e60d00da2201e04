/** The part of WebAssembly that kernels need; all runtimes have it, the language's own declarations do not. */
interface WebAssemblyPart {
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => KernelMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { env: { memory: KernelMemory } },
  ) => { readonly exports: object };
}

export interface KernelMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

export const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyPart };
