import { Readable } from 'node:stream';
import type { App } from './app.ts';
import { compressed } from './compression.ts';
import { endConnectionWhenDue } from './connections.ts';
import { dropCharset } from './json.ts';
import type { Overload } from './overload.ts';

/** What is done with every answer before it goes out; one hook, since each costs every request. */
export function finishAnswers(app: App, overload: Overload): void {
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
    if (packed === undefined) next(null, payload);
    else if (packed instanceof Promise) packed.then((bytes) => next(null, bytes), next);
    else next(null, packed);
  });
}
