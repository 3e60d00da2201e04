/** The one client of the service. */
import { ContrailsError, createClient } from '@contrails/client';
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

/** Whether the service follows aircraft and shows them to this key. */
export async function hasLiveSky(): Promise<boolean> {
  const [{ live }, { scopes }] = await Promise.all([service.status.overview(), service.auth.validateKey()]);
  return live && scopes.includes('live');
}

/** The key that the demo gives to every visitor; null elsewhere. */
export async function visitorKey(): Promise<string | null> {
  const response = await service.request('/visitor-key');
  return ((await response.json()) as { key: string | null }).key;
}
