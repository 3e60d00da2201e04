/** The one client of the service, and the few endpoints that it has no method for. */
import { ContrailsError, createClient, type Job } from '@contrails/client';
import { readKey } from './shell/session-key.ts';

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

export interface ServiceStatus {
  readonly version: string;
  readonly runtime: string;
  readonly time: string;
  readonly weather: readonly {
    readonly name: string;
    readonly kind: string;
    readonly provider?: string;
    readonly dataset?: string;
    readonly product?: string;
    readonly synthetic: boolean;
    readonly error?: string;
    readonly runs: readonly {
      readonly type: string;
      readonly forecast_reference_time?: string;
      readonly first: string;
      readonly last: string;
    }[];
  }[];
  readonly products: readonly {
    readonly kind: string;
    readonly files: number;
    readonly bytes: number;
    readonly first: string | null;
    readonly last: string | null;
  }[];
  readonly jobs: {
    readonly counts: Readonly<Record<string, number>>;
    readonly running: readonly {
      readonly kind: string;
      readonly progress: number;
      readonly started: string | null;
    }[];
  };
}

export function readStatus(signal?: AbortSignal): Promise<ServiceStatus> {
  return getJson('/v0/status', signal);
}

export type ListedJob = Pick<
  Job,
  'id' | 'state' | 'progress' | 'created' | 'started' | 'finished' | 'error'
> & { readonly kind: string };

export async function listJobs(signal?: AbortSignal): Promise<readonly ListedJob[]> {
  return (await getJson<{ jobs: ListedJob[] }>('/v0/jobs', signal)).jobs;
}

export interface InventoryDate {
  readonly date: string;
  readonly state: string;
  readonly message: string;
  readonly served: boolean;
}

/** Days that the inventory knows, in ascending order. */
export async function inventoryDates(signal?: AbortSignal): Promise<readonly InventoryDate[]> {
  return (await getJson<{ dates: InventoryDate[] }>('/v1/inventory/dates', signal)).dates;
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
