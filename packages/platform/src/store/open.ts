import { UsageError } from '@contrails/runtime/errors';
import { openDirectoryStore } from './directory/directory-store.ts';
import { isObjectKey } from './object-key.ts';
import type { S3Access } from './s3/bucket.ts';
import { openS3Store } from './s3/s3-store.ts';
import type { Store } from './store.ts';

/** Where the objects are. The directory is the store's own and on the disks of one machine. */
export type StoreAddress =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

/** Opens the store and, for a directory, makes it. `access` is only needed for a bucket. */
export async function openStore(address: StoreAddress, access: S3Access = {}): Promise<Store> {
  if (address.kind === 'directory') return openDirectoryStore(address.path);
  const { prefix } = address;
  if (prefix !== '' && !isObjectKey(prefix)) {
    throw new UsageError(
      `${JSON.stringify(prefix)} cannot be the prefix of a store; use letters, digits, ".", "_", "=", "-" and "/" between names`,
      { facts: { prefix } },
    );
  }
  return openS3Store(address, access);
}
