export { checkKeyPrefix, checkObjectKey, isObjectKey } from './object-key.ts';
export { openStore, type StoreAddress } from './open.ts';
export type { S3Access } from './s3/bucket.ts';
export type { ByteRange, ListedObject, ObjectInfo, Store, WrittenObject } from './store.ts';
