/** The part of WebGPU that grids need: browsers have it, and Dawn in Node. The language's own declarations are those of browsers. */

export interface GpuBuffer {
  readonly size: number;
  mapAsync(mode: number): Promise<undefined>;
  getMappedRange(): ArrayBuffer;
  unmap(): undefined;
  destroy(): undefined;
}

export interface GpuPass {
  setPipeline(pipeline: GpuPipeline): undefined;
  setBindGroup(index: number, group: object): undefined;
  dispatchWorkgroups(x: number, y?: number): undefined;
  dispatchWorkgroupsIndirect(buffer: GpuBuffer, offset: number): undefined;
  end(): undefined;
}

export interface GpuPipeline {
  getBindGroupLayout(index: number): object;
}

export interface GpuEncoder {
  beginComputePass(): GpuPass;
  copyBufferToBuffer(
    from: GpuBuffer,
    fromOffset: number,
    to: GpuBuffer,
    toOffset: number,
    size: number,
  ): undefined;
  clearBuffer(buffer: GpuBuffer): undefined;
  finish(): object;
}

export interface GpuDevice {
  readonly limits: Readonly<Record<string, number>>;
  readonly lost: Promise<{ readonly reason: string; readonly message: string }>;
  readonly queue: {
    writeBuffer(
      buffer: GpuBuffer,
      offset: number,
      data: ArrayBufferView,
      dataOffset?: number,
      size?: number,
    ): undefined;
    submit(commands: readonly object[]): undefined;
    onSubmittedWorkDone(): Promise<undefined>;
  };
  createBuffer(description: { readonly size: number; readonly usage: number }): GpuBuffer;
  createShaderModule(description: { readonly code: string }): object;
  createComputePipelineAsync(description: {
    readonly layout: 'auto';
    readonly compute: { readonly module: object; readonly entryPoint: string };
  }): Promise<GpuPipeline>;
  createBindGroup(description: {
    readonly layout: object;
    readonly entries: readonly {
      readonly binding: number;
      readonly resource: { readonly buffer: GpuBuffer };
    }[];
  }): object;
  createCommandEncoder(): GpuEncoder;
  pushErrorScope(filter: 'out-of-memory' | 'validation' | 'internal'): undefined;
  popErrorScope(): Promise<{ readonly message: string } | null>;
  destroy(): undefined;
}

/** Flags of buffers. */
export const USAGE = {
  mapRead: 0x1,
  copySource: 0x4,
  copyTarget: 0x8,
  uniform: 0x40,
  storage: 0x80,
  indirect: 0x100,
} as const;

/** Maps a buffer for reading. */
export const MAP_READ = 1;
