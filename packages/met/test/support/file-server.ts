import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** How a server treats a request before it serves the file: true when it has dealt with it. */
export type Misbehaviour = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

export interface FileServer {
  readonly url: string;
  /** Paths asked for so far, with their ranges. */
  readonly requests: string[];
  /** Bytes of files sent so far. */
  sentBytes: number;
  misbehave(how: Misbehaviour): void;
  close(): Promise<void>;
}

/** A web server for the files of a directory, with ranges, that can be told to fail. */
export async function serveFiles(directory: string): Promise<FileServer> {
  const requests: string[] = [];
  let misbehaviour: Misbehaviour = () => false;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    requests.push(path);
    if (misbehaviour(request, response, join(directory, path))) return;
    made.sentBytes += serveFile(request, response, join(directory, path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const made: FileServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sentBytes: 0,
    misbehave: (how) => {
      misbehaviour = how;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return made;
}

/** Returns how many bytes it sends. */
function serveFile(request: IncomingMessage, response: ServerResponse, path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile()) {
    response.writeHead(404).end();
    return 0;
  }
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  if (from === undefined) {
    response.writeHead(200, { 'content-length': stats.size });
    createReadStream(path).pipe(response);
    return stats.size;
  }
  if (Number(from) >= stats.size) {
    response.writeHead(416).end();
    return 0;
  }
  const start = from === '' ? Math.max(stats.size - Number(to), 0) : Number(from);
  const end = from === '' || to === '' ? stats.size - 1 : Math.min(Number(to), stats.size - 1);
  response.writeHead(206, { 'content-length': end - start + 1 });
  createReadStream(path, { start, end }).pipe(response);
  return end - start + 1;
}
