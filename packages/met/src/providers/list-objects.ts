import type { RemotePart } from '../sync/provider.ts';
import type { Remote } from '../sync/remote.ts';

export type ListedObjects = ReadonlyMap<string, Pick<RemotePart, 'bytes' | 'etag'>>;

/** What a bucket holds below a prefix, and the folders in it. */
export async function listObjects(
  remote: Remote,
  prefix: string,
): Promise<{ readonly objects: ListedObjects; readonly folders: readonly string[] }> {
  const objects = new Map<string, Pick<RemotePart, 'bytes' | 'etag'>>();
  const folders: string[] = [];
  let token: string | undefined;
  do {
    const query = new URLSearchParams({ 'list-type': '2', delimiter: '/', prefix });
    if (token !== undefined) query.set('continuation-token', token);
    const page = (await remote.request(`?${query}`)).bytes.toString('utf8');
    for (const [, entry = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      const etag = textOf(entry, 'ETag')?.replaceAll('&quot;', '"');
      objects.set(textOf(entry, 'Key') ?? '', {
        bytes: Number(textOf(entry, 'Size')),
        ...(etag === undefined ? {} : { etag }),
      });
    }
    for (const [, entry = ''] of page.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs)) {
      folders.push(textOf(entry, 'Prefix') ?? '');
    }
    token = textOf(page, 'NextContinuationToken');
  } while (token !== undefined);
  return { objects, folders };
}

function textOf(xml: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>([^<]*)<`).exec(xml)?.[1];
}
