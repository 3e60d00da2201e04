import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { RemoteFailure } from '../sync/failures.ts';
import type { RemotePart } from '../sync/provider.ts';
import type { Remote } from '../sync/remote.ts';

/** The file appears under its name when it is whole. */
export async function fetchWhole(remote: Remote, { path, etag }: RemotePart, to: string): Promise<void> {
  await remote.tried(path, async () => {
    const temporary = `${to}.tmp`;
    const handle = await open(temporary, 'w');
    const md5 = createHash('md5');
    try {
      await remote.stream(path, etag, async (piece) => {
        md5.update(piece);
        await handle.write(piece);
        return true;
      });
    } finally {
      await handle.close();
    }
    requireMd5(etag, md5.digest('hex'), path);
    await rename(temporary, to);
  });
}

/** Archives of objects give the checksum of whole files as their tag. */
function requireMd5(etag: string | undefined, found: string, path: string): void {
  const [, expected] = /^"?([0-9a-f]{32})"?$/.exec(etag ?? '') ?? [];
  if (expected === undefined || expected === found) return;
  throw new RemoteFailure('transient', `${path} arrives damaged`, 'sent a damaged file');
}
