import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** What happens to one request on its way. */
export type Fault =
  /** The request does not reach the server. */
  | { readonly kind: 'answer'; readonly status: number; readonly body?: string }
  | { readonly kind: 'stall' }
  /** The server answers, but only so many bytes of the body pass. */
  | { readonly kind: 'stall-body' | 'cut-body'; readonly afterBytes: number }
  /** The server has carried the request out, but nobody hears of it. */
  | { readonly kind: 'lose-answer' };

export interface FaultProxy {
  readonly endpoint: string;
  /** How many requests have come. */
  readonly requests: number;
  /** Asked for every request until it is set again; undefined lets the request pass. */
  plan: (asked: { readonly method: string; readonly url: string }) => Fault | undefined;
  close(): Promise<void>;
}

/** Stands between a client and a real HTTP server and breaks what it is told to. */
export async function startFaultProxy(upstream: string): Promise<FaultProxy> {
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    requests += 1;
    const fault = proxy.plan({ method: incoming.method ?? '', url: incoming.url ?? '' });
    handle(upstream, incoming, outgoing, fault).catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const proxy: FaultProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    plan: () => undefined,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return proxy;
}

async function handle(
  upstream: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  const sent = await buffer(incoming);
  if (fault?.kind === 'stall') return;
  if (fault?.kind === 'answer') {
    outgoing.writeHead(fault.status, { 'content-type': 'application/xml' }).end(fault.body ?? '');
    return;
  }
  const answer = await forward(upstream, incoming, sent);
  const body = incoming.method === 'HEAD' ? Buffer.alloc(0) : await buffer(answer);
  if (fault?.kind === 'lose-answer') {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
  if (fault === undefined) {
    outgoing.end(body);
    return;
  }
  outgoing.write(body.subarray(0, fault.afterBytes), () => {
    if (fault.kind === 'cut-body') outgoing.destroy();
  });
}

async function forward(
  upstream: string,
  incoming: IncomingMessage,
  body: Uint8Array,
): Promise<IncomingMessage> {
  const { method, headers, url = '/' } = incoming;
  // The path goes on as it came: the signature covers it.
  const { hostname, port } = new URL(upstream);
  const outgoing = request({ hostname, port, path: url, method, headers, agent: false });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return answer;
}
