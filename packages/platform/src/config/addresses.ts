import { resolve } from 'node:path';
import { UsageError } from '@contrails/runtime/errors';
import { Secret } from './secret.ts';

/** Where products and everything else that is kept live. */
export type DataAddress =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

export type DatabaseAddress =
  | { readonly kind: 'embedded' }
  /** `shown` is the address without password and parameters, fit for messages. */
  | { readonly kind: 'postgres'; readonly url: Secret; readonly shown: string };

/** `data` as it may be kept between layers of settings: an `s3://` address, or an absolute path. */
export function absoluteData(data: string, directory: string): string {
  return data.startsWith('s3://') ? data : resolve(directory, data);
}

export function dataAddress(data: string): DataAddress {
  if (!data.startsWith('s3://')) return { kind: 'directory', path: data };
  const [bucket = '', ...segments] = data.slice('s3://'.length).split('/');
  return { kind: 's3', bucket, prefix: segments.filter((segment) => segment !== '').join('/') };
}

export function databaseAddress(database: string, password: Secret | undefined): DatabaseAddress {
  if (database === 'embedded') {
    if (password === undefined) return { kind: 'embedded' };
    throw new UsageError(
      'CONTRAILS_DATABASE_PASSWORD is set, but the database is embedded and has none; set database to a postgres:// address or remove the variable',
    );
  }
  const url = parseAddress(database);
  if (url === undefined) {
    throw new UsageError(
      'database is not a valid address; write postgres://user@host:port/name, with special characters percent-encoded',
    );
  }
  if (password !== undefined) {
    if (holdsPassword(database)) {
      throw new UsageError(
        'the address in database already has a password; take it out or remove CONTRAILS_DATABASE_PASSWORD',
      );
    }
    url.password = encodeURIComponent(password.reveal());
  }
  const user = url.username === '' ? '' : `${url.username}@`;
  return {
    kind: 'postgres',
    url: new Secret(url.href),
    shown: `postgres://${user}${url.host}${url.pathname}`,
  };
}

/** Whether an address carries a password, in front of the host or as a parameter; unreadable addresses count. */
export function holdsPassword(database: string): boolean {
  if (database === 'embedded') return false;
  const url = parseAddress(database);
  if (url === undefined) return database.includes('@');
  return url.password !== '' || [...url.searchParams.keys()].some((name) => /password/i.test(name));
}

function parseAddress(database: string): URL | undefined {
  return URL.canParse(database) ? new URL(database) : undefined;
}
