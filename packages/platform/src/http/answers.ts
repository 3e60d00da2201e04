import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { App } from './app.ts';
import { compressed } from './compression.ts';
import { endConnectionWhenDue } from './connections.ts';
import { discardRest } from './incoming.ts';
import { dropCharset } from './json.ts';
import type { Overload } from './overload.ts';

/** What is done with every answer before it goes out; one hook, since each costs every request. */
export function finishAnswers(app: App, overload: Overload, stallMs: number): void {
  app.addHook<string | Buffer | Readable | null | undefined>('onSend', (request, reply, payload, next) => {
    dropCharset(reply);
    endConnectionWhenDue(request, reply, overload);
    discardRest(request.raw);
    const packed = compressed(request, reply, payload);
    if (payload instanceof Readable) {
      request.exchange.noteStream();
      if (request.method === 'HEAD') {
        payload.destroy();
        return next(null, null);
      }
    }
    if (payload instanceof Readable || (payload?.length ?? 0) > UNREAD_BYTES)
      endStalledReader(reply.raw, stallMs);
    if (packed === undefined) next(null, payload);
    else if (packed instanceof Promise) packed.then((bytes) => next(null, bytes), next);
    else next(null, packed);
  });
}

/**
 * Ends the connection of a client that takes nothing of its answer for this long, so it cannot hold its place and
 * the answer's memory for ever. Slow reading is fine, and so is waiting for an answer that is still being made.
 */
function endStalledReader(response: ServerResponse, stallMs: number): void {
  response.setTimeout(stallMs, () => {
    const { socket } = response;
    if (socket !== null && socket.writableLength > 0) socket.destroy();
  });
}

/** Smaller responses fit into what the system buffers for a connection, and cost nothing while they are not read. */
const UNREAD_BYTES = 65_536;
