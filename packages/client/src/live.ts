/** The sky as it changes: Server-Sent Events as an async iterator that connects again. */
import { ContrailsError } from './error.ts';
import { pause, type Transport } from './transport.ts';
import type { LiveContrails, LiveFlights, LiveSummary, Query } from './types.ts';

/** What has changed; a `snapshot` replaces everything that came before. */
export type LiveEvent =
  | {
      readonly type: 'snapshot' | 'update';
      readonly flights: LiveFlights['features'];
      readonly contrails: (LiveContrails['features'][number] & { readonly id: string })[];
    }
  | { readonly type: 'remove'; readonly flights: readonly string[]; readonly contrails: readonly string[] }
  | ({ readonly type: 'summary' } & LiveSummary);

export interface StreamOptions {
  /** Aborting it ends the iteration. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the connection is lost, with the reason and the pause before the next attempt. */
  readonly onReconnect?: ((reason: unknown, pauseMs: number) => void) | undefined;
}

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** The service sends something every 15 s: a connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;

/** Goes on until it is left or aborted; what cannot be repeated, such as a key without the scope, is thrown. */
export async function* streamEvents(
  transport: Transport,
  query: Query<'/v1/live/stream'>,
  { signal, onReconnect }: StreamOptions,
): AsyncGenerator<LiveEvent> {
  let lastId: string | undefined;
  let failures = 0;
  const isAborted = () => signal?.aborted === true;
  while (!isAborted()) {
    const connection = new AbortController();
    const stop = () => connection.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      for await (const { id, event } of eventsOf(transport, query, lastId, connection)) {
        lastId = id ?? lastId;
        failures = 0;
        yield event;
      }
      throw new Error('the service closed the connection');
    } catch (error) {
      if (isAborted()) return;
      if (error instanceof ContrailsError && !isPassing(error)) throw error;
      const asked = error instanceof ContrailsError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      const pauseMs = Math.max(asked, Math.min(MIN_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS));
      failures++;
      onReconnect?.(error, pauseMs);
      await pause(pauseMs, signal).catch(() => undefined);
    } finally {
      signal?.removeEventListener('abort', stop);
      connection.abort();
    }
  }
}

function isPassing({ code, status }: ContrailsError): boolean {
  return code === 'network' || [408, 429, 502, 503, 504].includes(status ?? 0);
}

async function* eventsOf(
  transport: Transport,
  query: Query<'/v1/live/stream'>,
  lastId: string | undefined,
  connection: AbortController,
): AsyncGenerator<{ readonly id: string | undefined; readonly event: LiveEvent }> {
  const headers = {
    accept: 'text/event-stream',
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  };
  const exchange = { method: 'GET', path: '/v1/live/stream', query, headers, attempts: 1 } as const;
  const body = await transport.send(
    { ...exchange, signal: connection.signal },
    async (response) => response.body,
  );
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const silence = setTimeout(() => connection.abort(new Error('the service is silent')), SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(silence));
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const event = parseEvent(message);
      if (event !== undefined) yield event;
    }
  }
}

/** Undefined for a comment. */
function parseEvent(message: string): { id: string | undefined; event: LiveEvent } | undefined {
  const fields = new Map(
    message.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
    }),
  );
  const [type, data] = [fields.get('event'), fields.get('data')];
  if (type === undefined || data === undefined) return undefined;
  return { id: fields.get('id'), event: { type, ...JSON.parse(data) } as LiveEvent };
}
