/** Weather on a device: uploaded once, and kept until there is too much of it. */
import { type GpuBuffer, type GpuDevice, type GpuPipeline, USAGE } from '../../vector/wgsl/web-gpu.ts';
import { ARRANGE_SHADER, ARRANGING_GROUP, arrangedBytes, GIVEN_NUMBERS, levelStride } from './arrangement.ts';
import type { StepGroup } from './numbers.ts';
import { type GpuField, type GpuWeather, radiationsOf } from './weather.ts';

/** Numbers that are handed to the device in one turn of the thread: whole points, of weather and of radiation. */
const UPLOADED_AT_ONCE = 2 ** 20 * GIVEN_NUMBERS;

export class Slabs {
  private readonly device: GpuDevice;
  private readonly maxBytes: number;
  /** By the name of their weather, the least recently used first. */
  private readonly buffers = new Map<string, GpuBuffer>();
  private bytes = 0;
  private readonly staging = new Float32Array(UPLOADED_AT_ONCE);
  /** Where the device finds what is to be arranged. */
  private arranging: Promise<{ readonly pipeline: GpuPipeline; readonly given: GpuBuffer }> | undefined;

  constructor(device: GpuDevice, maxBytes: number) {
    this.device = device;
    this.maxBytes = maxBytes;
  }

  /** Uploads what is not on the device yet, a part at a time, so the thread has time for others. */
  async upload(weather: GpuWeather, groups: readonly StepGroup[]): Promise<void> {
    const names = new Set<string>();
    const fields = groups.flatMap(({ weather: cell, radiation }) => [
      { field: weather.levels, cell },
      ...(radiation === undefined ? [] : [radiation]),
    ]);
    for (const { field, cell } of fields) {
      for (const index of [cell, Math.min(cell + 1, field.slabs.length - 1)]) {
        const name = slabName(weather, field, index);
        names.add(name);
        const known = this.buffers.get(name);
        if (known !== undefined) {
          this.buffers.delete(name);
          this.buffers.set(name, known);
          continue;
        }
        const slab = field.slabs[index] as Float32Array;
        const uploaded = field === weather.levels ? this.arranged(field, slab) : this.uploaded(slab);
        this.buffers.set(name, await uploaded);
      }
    }
    for (const [name, buffer] of this.buffers) {
      if (this.bytes <= this.maxBytes) break;
      if (names.has(name)) continue;
      this.buffers.delete(name);
      this.bytes -= buffer.size;
      buffer.destroy();
    }
  }

  /** The slabs before and after a time. */
  pairOf(weather: GpuWeather, field: GpuField, cell: number): [GpuBuffer, GpuBuffer] {
    const buffer = (index: number) =>
      this.buffers.get(slabName(weather, field, Math.min(index, field.slabs.length - 1))) as GpuBuffer;
    return [buffer(cell), buffer(cell + 1)];
  }

  private make(bytes: number): GpuBuffer {
    const buffer = this.device.createBuffer({ size: bytes, usage: USAGE.storage | USAGE.copyTarget });
    this.bytes += buffer.size;
    return buffer;
  }

  private async uploaded(slab: Float32Array | Float64Array): Promise<GpuBuffer> {
    const buffer = this.make(4 * slab.length);
    for (let start = 0; start < slab.length; start += UPLOADED_AT_ONCE) {
      this.write(buffer, 4 * start, slab.subarray(start, start + UPLOADED_AT_ONCE));
      await this.device.queue.onSubmittedWorkDone();
    }
    return buffer;
  }

  /** As {@link uploaded}, with the points in their places: the device moves them, which takes it no time. */
  private async arranged(field: GpuField, slab: Float32Array | Float64Array): Promise<GpuBuffer> {
    const { device } = this;
    this.arranging ??= this.prepareArranging();
    const { pipeline, given } = await this.arranging;
    const buffer = this.make(arrangedBytes(field));
    for (let start = 0; start < slab.length; start += UPLOADED_AT_ONCE) {
      const part = slab.subarray(start, start + UPLOADED_AT_ONCE);
      this.write(given, 0, part);
      const points = part.length / GIVEN_NUMBERS;
      const numbers = [start / GIVEN_NUMBERS, points, field.level.knots.length, levelStride(field)];
      const chunk = device.createBuffer({
        size: 4 * numbers.length,
        usage: USAGE.uniform | USAGE.copyTarget,
      });
      device.queue.writeBuffer(chunk, 0, Uint32Array.from(numbers));
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [chunk, given, buffer].map((one, binding) => ({ binding, resource: { buffer: one } })),
        }),
      );
      pass.dispatchWorkgroups(Math.ceil(points / ARRANGING_GROUP));
      pass.end();
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
      chunk.destroy();
    }
    return buffer;
  }

  private async prepareArranging() {
    const { device } = this;
    const module = device.createShaderModule({ code: ARRANGE_SHADER });
    const pipeline = await device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module, entryPoint: 'arrange' },
    });
    const given = device.createBuffer({
      size: 4 * UPLOADED_AT_ONCE,
      usage: USAGE.storage | USAGE.copyTarget,
    });
    return { pipeline, given };
  }

  private write(buffer: GpuBuffer, at: number, part: Float32Array | Float64Array): void {
    this.staging.set(part);
    this.device.queue.writeBuffer(buffer, at, this.staging, 0, part.length);
  }
}

/** Fields of radiation that go on after each other may share a time, so their order is part of the name; weather has none. */
function slabName({ name, radiation }: GpuWeather, field: GpuField, index: number): string {
  const order = radiationsOf(radiation).findIndex((one) => one.field === field);
  const { longitude, latitude, level, time } = field;
  const map = [longitude, latitude, level].map(
    ({ knots }) => `${knots[0]} to ${knots.at(-1)} in ${knots.length}`,
  );
  return [name, order, ...map, time.knots[index]].join(', ');
}
