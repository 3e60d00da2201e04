import { ByteWriter } from './byte-writer.ts';
import { NO_ADDRESS } from './object-header.ts';

/** Half the largest number of children of a node; the value readers assume for files of this version. */
const HALF_FANOUT = 32;

/** A chunk (or, higher up, a node) and its position in the file. */
interface Entry {
  readonly offset: readonly number[];
  readonly size: number;
  readonly address: number;
}

export interface ChunkIndex {
  readonly rootAddress: number;
  readonly nodes: readonly { readonly address: number; readonly bytes: Uint8Array }[];
}

/** The B-tree (version 1) that leads from a chunk's position in the variable to its address in the file. */
export function buildChunkIndex(
  chunks: readonly Entry[],
  shape: readonly number[],
  chunkShape: readonly number[],
  valueSize: number,
  allocate: (size: number) => number,
): ChunkIndex {
  const keySize = 8 + 8 * (shape.length + 1);
  const nodeSize = 24 + (2 * HALF_FANOUT + 1) * keySize + 2 * HALF_FANOUT * 8;
  const beyond = shape.map((length, axis) => (axis === 0 ? roundUp(length, chunkShape[0] as number) : 0));
  const nodes: { address: number; bytes: Uint8Array }[] = [];
  let entries = chunks;
  for (let level = 0; ; level++) {
    const groups = groupsOf(entries, 2 * HALF_FANOUT);
    const addresses = groups.map(() => allocate(nodeSize));
    groups.forEach((group, g) => {
      const writer = new ByteWriter()
        .ascii('TREE')
        .u8(1)
        .u8(level)
        .u16(group.length)
        .u64(addresses[g - 1] ?? NO_ADDRESS)
        .u64(addresses[g + 1] ?? NO_ADDRESS);
      for (const entry of group) writeKey(writer, entry.size, entry.offset, 0).u64(entry.address);
      const next = groups[g + 1]?.[0];
      writeKey(writer, 0, next?.offset ?? beyond, next === undefined ? valueSize : 0).padTo(nodeSize);
      nodes.push({ address: addresses[g] as number, bytes: writer.finish() });
    });
    if (groups.length === 1) return { rootAddress: addresses[0] as number, nodes };
    entries = groups.map((group, g) => ({
      offset: (group[0] as Entry).offset,
      size: (group[0] as Entry).size,
      address: addresses[g] as number,
    }));
  }
}

function writeKey(writer: ByteWriter, size: number, offset: readonly number[], inValue: number): ByteWriter {
  writer.u32(size).u32(0);
  for (const index of offset) writer.u64(index);
  return writer.u64(inValue);
}

function groupsOf(entries: readonly Entry[], size: number): (readonly Entry[])[] {
  const groups: (readonly Entry[])[] = [];
  for (let first = 0; first < entries.length; first += size) groups.push(entries.slice(first, first + size));
  return groups;
}

function roundUp(length: number, step: number): number {
  return Math.ceil(length / step) * step;
}
