import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { makeProblem, PROBLEMS, type ProblemName } from './problem.ts';
import { newRequestId } from './request-id.ts';

/** Answers what is not even HTTP, in the shape of every other error, and closes the connection. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [name, detail] = BROKEN[error.code ?? ''] ?? [
    'bad-request' as const,
    'this is not a valid HTTP/1.1 request; check the request line and headers that the client sends',
  ];
  endWithProblem(socket, name, detail);
}

/** Answers a connection that there is no room for, without reading its request, and closes it. */
export function answerBusy(socket: Socket, detail: string): void {
  socket.once('finish', () => socket.destroy());
  endWithProblem(socket, 'overloaded', detail, { 'retry-after': '1' });
}

function endWithProblem(
  socket: Socket,
  name: ProblemName,
  detail: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const { status, title } = PROBLEMS[name];
  const { headers, body } = rawProblem(name, detail, status);
  const head = Object.entries({ ...headers, ...more }).map(([key, value]) => `${key}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${title}`, ...head, '', body].join('\r\n'));
}

/** Answers an `Expect` header other than `100-continue`, which the server cannot meet. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { headers, body } = rawProblem(
    'bad-request',
    'the header Expect may only say 100-continue; leave it out',
    417,
  );
  response.writeHead(417, headers).end(body);
}

const BROKEN: Readonly<Record<string, readonly [ProblemName, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers-too-large', 'the address and headers are larger than 16 KiB; shorten them'],
  ERR_HTTP_REQUEST_TIMEOUT: ['timeout', 'the request did not arrive in time; send it again'],
};

function rawProblem(name: ProblemName, detail: string, status: number) {
  const id = newRequestId();
  const body = JSON.stringify(makeProblem(name, detail, id, { status }));
  return {
    body,
    headers: {
      'content-type': 'application/problem+json',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'x-request-id': id,
      connection: 'close',
    },
  };
}
