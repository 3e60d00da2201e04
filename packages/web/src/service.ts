/** The one client of the service, and the few endpoints that it has no method for. */
import { ContrailsError, createClient, type Json } from '@contrails/client';
import { readKey } from './session-key.ts';

const listeners = new Set<(isReachable: boolean) => void>();

/** Calls with whether the last request reached the service. */
export function onReachable(listener: (isReachable: boolean) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function observedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  try {
    const response = await fetch(...request);
    for (const listener of listeners) listener(true);
    return response;
  } catch (error) {
    const isAborted = request[1]?.signal?.aborted ?? false;
    if (!isAborted) for (const listener of listeners) listener(false);
    throw error;
  }
}

export const service = createClient({
  apiKey: readKey,
  fetch: observedFetch,
  retry: { attempts: 3, maxPauseMs: 5_000 },
});

/** What to show of an error, with the way out where there is one. */
export function messageOf(error: unknown): string {
  if (error instanceof ContrailsError) {
    if (error.code === 'network')
      return 'The service does not respond. It may be restarting; this page keeps trying.';
    if (error.code === 'unauthorized') return 'The service needs a valid key. Enter one under “Key”.';
    return error.message;
  }
  return error instanceof Error ? error.message : String(error);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await service.request(path, signal === undefined ? {} : { signal });
  return (await response.json()) as T;
}

/** The key that the demo gives to every visitor; null elsewhere. */
export async function visitorKey(): Promise<string | null> {
  return (await getJson<{ key: string | null }>('/visitor-key')).key;
}

export type ServiceStatus = Json<'/v0/status'>;

export function readStatus(signal?: AbortSignal): Promise<ServiceStatus> {
  return getJson('/v0/status', signal);
}

export type ListedJob = Json<'/v0/jobs'>['jobs'][number];

export async function listJobs(signal?: AbortSignal): Promise<readonly ListedJob[]> {
  return (await getJson<Json<'/v0/jobs'>>('/v0/jobs', signal)).jobs;
}

export type InventoryDate = Json<'/v1/inventory/dates'>['dates'][number];

/** Days that the inventory knows, in ascending order. */
export async function inventoryDates(signal?: AbortSignal): Promise<readonly InventoryDate[]> {
  return (await getJson<Json<'/v1/inventory/dates'>>('/v1/inventory/dates', signal)).dates;
}

/** The weather of a level as netCDF. */
export async function weatherBytes(
  query: { readonly time: string; readonly flight_level: number },
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  const response = await service.request('/v0/grid/weather', {
    query,
    ...(signal === undefined ? {} : { signal }),
  });
  return response.arrayBuffer();
}
