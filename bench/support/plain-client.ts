import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { DemoServer } from './demo-server.ts';

const agent = new Agent({ keepAlive: true });

/** Asks by the plainest client there is: `fetch` takes a millisecond by itself. Given JSON is posted. */
export async function ask({ address, key }: DemoServer, path: string, json?: string): Promise<Buffer> {
  const headers = {
    'x-api-key': key,
    'accept-encoding': 'gzip',
    ...(json !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(json),
    }),
  };
  const method = json === undefined ? 'GET' : 'POST';
  const asked = request(`${address}${path}`, { method, headers, agent });
  asked.end(json);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const body = await buffer(answer);
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${body}`);
  return body;
}

/** Lets go of connections, which would keep a server that is to end waiting. */
export function clientAborted(): void {
  agent.destroy();
}
