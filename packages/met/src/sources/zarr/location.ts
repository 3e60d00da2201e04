import { resolve } from 'node:path';
import { MetError } from '../../errors.ts';
import { escapeS3Path, type S3Signing } from './sign-s3.ts';

/** Where a store is kept; plain data for a thread. */
export type StoreLocation =
  | { readonly kind: 'directory'; readonly path: string }
  | ({ readonly kind: 'http' } & HttpLocation);

/** A web server or a bucket; the key of an object goes between `url` and `query`. */
export interface HttpLocation {
  readonly url: string;
  readonly query: string;
  /** Absent for public objects. */
  readonly signing?: S3Signing;
}

export interface S3Options {
  /** A server that speaks S3, such as `https://minio.example.org`; Amazon's unless given. */
  readonly s3Endpoint?: string;
  readonly s3Region?: string;
  /** Keys that may read the buckets; absent for public buckets. */
  readonly s3Credentials?: Omit<S3Signing, 'region'>;
}

const DEFAULT_REGION = 'us-east-1';

/** A path relative to a directory, `http(s)://`, `s3://` or `gs://` → where its objects are found. */
export function locateStore(path: string, directory: string, s3: S3Options = {}): StoreLocation {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(path)?.[1]?.toLowerCase();
  if (scheme === undefined) return { kind: 'directory', path: resolve(directory, path) };
  const url = parse(path);
  switch (scheme) {
    case 'http':
    case 'https':
      return { kind: 'http', url: `${url.origin}${withoutSlash(url.pathname)}`, query: url.search };
    case 's3':
      return {
        kind: 'http',
        url: `${s3Origin(url.host, s3)}${escapeS3Path(decodeURIComponent(withoutSlash(url.pathname)))}`,
        query: '',
        ...signingOf(s3),
      };
    case 'gs':
      return {
        kind: 'http',
        url: `https://storage.googleapis.com/${url.host}${withoutSlash(url.pathname)}`,
        query: '',
      };
    default:
      throw new MetError(
        'unreadable',
        `${path}: stores are read from directories, http(s)://, s3:// and gs://, not ${scheme}://`,
        { path },
      );
  }
}

/** As messages name it. */
export function nameOf(location: StoreLocation): string {
  return location.kind === 'directory' ? location.path : location.url;
}

function signingOf({ s3Credentials, s3Region }: S3Options): { signing?: S3Signing } {
  if (s3Credentials === undefined) return {};
  return { signing: { ...s3Credentials, region: s3Region ?? DEFAULT_REGION } };
}

function s3Origin(bucket: string, { s3Endpoint, s3Region }: S3Options): string {
  if (s3Endpoint !== undefined) return `${withoutSlash(s3Endpoint)}/${bucket}`;
  const region = s3Region === undefined ? '' : `.${s3Region}`;
  // A bucket name with a dot does not match the certificate of its host.
  return bucket.includes('.')
    ? `https://s3${region}.amazonaws.com/${bucket}`
    : `https://${bucket}.s3${region}.amazonaws.com`;
}

function parse(path: string): URL {
  try {
    return new URL(path);
  } catch (cause) {
    throw new MetError('unreadable', `${path} is not an address`, { path }, { cause });
  }
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
