import type { FileHandle } from 'node:fs/promises';

/** Fewer bytes than asked for at the end of the file. */
export async function readAt(handle: FileHandle, offset: number, length: number) {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
