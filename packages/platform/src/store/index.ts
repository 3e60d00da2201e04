export { openStore, type StoreAddress } from './open.ts';
export type { S3Access } from './s3/bucket.ts';
export type { ByteRange, ObjectInfo, Store } from './store.ts';
