import { inject } from 'vitest';
import { databasesOf, type PostgresDatabases } from './postgres.ts';
import { type S3Buckets, s3BucketsOf } from './s3.ts';
import type { SharedLiveService, SharedPostgres, SharedS3 } from './shared-servers.ts';

/** Databases on the PostgreSQL server of the run. `close` drops those that were created through it. */
export async function usePostgres(): Promise<PostgresDatabases> {
  const { url } = await ask<SharedPostgres>('postgres');
  return databasesOf(url);
}

/** Buckets on the S3-compatible server of the run. */
export async function useS3(): Promise<S3Buckets> {
  const { kind, access } = await ask<SharedS3>('s3');
  return s3BucketsOf(kind, access);
}

/** The service of the run, on synthetic weather; its forecast of the current hour is published soon. */
export function useLiveService(): Promise<SharedLiveService> {
  return ask<SharedLiveService>('service');
}

async function ask<T>(name: string): Promise<T> {
  const response = await fetch(`${inject('sharedServers')}/${name}`);
  const body = await response.text();
  if (!response.ok) throw new Error(`the ${name} server of the run did not start: ${body}`);
  return JSON.parse(body) as T;
}
