import { ByteWriter } from './byte-writer.ts';

/** Global heap collection of object addresses. */
export class Heap {
  private readonly addresses: number[] = [];

  /** Index of the new item. */
  add(address: number): number {
    return this.addresses.push(address);
  }

  encode(size: number): Uint8Array {
    const writer = new ByteWriter().ascii('GCOL').u8(1).u8(0).u8(0).u8(0).u64(size);
    this.addresses.forEach((address, i) => {
      writer
        .u16(i + 1)
        .u16(1)
        .u32(0)
        .u64(8)
        .u64(address);
    });
    const free = size - writer.size;
    return writer.u16(0).u16(0).u32(0).u64(free).padTo(size).finish();
  }
}
