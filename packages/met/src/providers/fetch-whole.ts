import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import type { RemotePart } from '../sync/provider.ts';
import { type Remote, requireMd5 } from '../sync/remote.ts';

/** The file appears under its name when it is whole. */
export async function fetchWhole(remote: Remote, { path, etag }: RemotePart, to: string): Promise<void> {
  await remote.tried(path, async () => {
    const temporary = `${to}.tmp`;
    const handle = await open(temporary, 'w');
    const md5 = createHash('md5');
    let tag: string | undefined;
    try {
      tag = await remote.stream(path, etag, async (piece) => {
        md5.update(piece);
        await handle.write(piece);
        return true;
      });
    } finally {
      await handle.close();
    }
    requireMd5(tag, md5.digest('hex'), path);
    await rename(temporary, to);
  });
}
