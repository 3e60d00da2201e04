import type { FileHandle } from 'node:fs/promises';

/** Returns fewer bytes at the end of the file; the buffer has at least `length`. */
export async function readAt(
  handle: FileHandle,
  offset: number,
  length: number,
  room = new Uint8Array(length),
): Promise<Uint8Array<ArrayBuffer>> {
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(room, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return room.subarray(0, filled);
}
