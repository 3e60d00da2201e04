import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** One answer of a script; a number is a problem with that status, `'hang up'` breaks the connection. */
export type Step =
  | number
  | 'hang up'
  | ((request: Received, response: ServerResponse) => void)
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly json?: unknown;
      readonly text?: string;
    };

/** A server that answers as a script says, step by step, its last step for ever, as a service in trouble does. */
export async function scriptedServer(...script: Step[]): Promise<{ address: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const got = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: await text(request),
    };
    received.push(got);
    const step = script[Math.min(received.length, script.length) - 1];
    if (step === undefined) throw new Error('the script is empty');
    if (typeof step === 'function') step(got, response);
    else if (step === 'hang up') response.destroy();
    else if (typeof step === 'number') sendProblem(response, step);
    else send(response, step);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

function send(
  response: ServerResponse,
  {
    status = 200,
    headers = {},
    json,
    text: body = JSON.stringify(json),
  }: Exclude<Step, number | string | ((...a: never[]) => void)>,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

function sendProblem(response: ServerResponse, status: number): void {
  const name = status === 429 ? 'rate-limited' : status === 404 ? 'not-found' : 'unavailable';
  const problem = { type: `/problems/${name}`, title: name, status, detail: 'come back', instance: 'r-1' };
  response
    .writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '0' })
    .end(JSON.stringify(problem));
}
