/** Weather on a device: uploaded once, and kept until there is too much of it. */
import { type GpuBuffer, type GpuDevice, USAGE } from '../../vector/wgsl/web-gpu.ts';
import type { StepGroup } from './numbers.ts';
import { type GpuField, type GpuWeather, radiationsOf } from './weather.ts';

/** Numbers that are handed to the device in one turn of the thread. */
const UPLOADED_AT_ONCE = 2 ** 23;

export class Slabs {
  private readonly device: GpuDevice;
  private readonly maxBytes: number;
  /** By the name of their weather, the least recently used first. */
  private readonly buffers = new Map<string, GpuBuffer>();
  private bytes = 0;
  private readonly staging = new Float32Array(UPLOADED_AT_ONCE);

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
        this.buffers.set(name, await this.uploaded(field.slabs[index] as Float32Array));
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

  private async uploaded(slab: Float32Array | Float64Array): Promise<GpuBuffer> {
    const buffer = this.device.createBuffer({
      size: 4 * slab.length,
      usage: USAGE.storage | USAGE.copyTarget,
    });
    this.bytes += buffer.size;
    for (let start = 0; start < slab.length; start += UPLOADED_AT_ONCE) {
      const part = slab.subarray(start, start + UPLOADED_AT_ONCE);
      this.staging.set(part);
      this.device.queue.writeBuffer(buffer, 4 * start, this.staging, 0, part.length);
      await this.device.queue.onSubmittedWorkDone();
    }
    return buffer;
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
