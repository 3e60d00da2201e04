import { Readable } from 'node:stream';
import type { App } from './app.ts';
import { compressed } from './compression.ts';
import { endConnectionWhenDue } from './connections.ts';
import { dropCharset } from './json.ts';
import type { Overload } from './overload.ts';
import { endStalledReader, UNREAD_BYTES } from './stalled-reader.ts';

/** What is done with every answer before it goes out; one hook, since each costs every request. */
export function finishAnswers(app: App, overload: Overload, stallMs: number): void {
  app.addHook<string | Buffer | Readable | null | undefined>('onSend', (request, reply, payload, next) => {
    dropCharset(reply);
    endConnectionWhenDue(request, reply, overload);
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
