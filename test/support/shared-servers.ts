import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import type { LiveService } from './live-service.ts';
import type { S3Access, TestS3 } from './s3.ts';

/** What a test file needs to use the PostgreSQL server of the run. */
export interface SharedPostgres {
  /** Of the database that every server has. */
  readonly url: string;
}

export interface SharedS3 {
  readonly kind: TestS3['kind'];
  readonly access: S3Access;
}

/** A service with a forecast, for tests that change nothing of what others see. */
export type SharedLiveService = Pick<LiveService, 'address' | 'key'>;

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test file asks for a server; see `test/support/shared-server.ts`. */
    readonly sharedServers: string;
  }
}

interface Started<T> {
  readonly description: T;
  close(): Promise<void>;
}

/**
 * One PostgreSQL, one S3-compatible server and one service for the whole run, each started when the first test file asks
 * for it. A test that stops or pauses a server starts another.
 */
export default async function provideServers(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Started<unknown>>>();
  const broker = createServer((request, response) => {
    const name = request.url?.slice(1) ?? '';
    const start = STARTERS[name];
    if (start === undefined) return answer(response, 404, { error: `there is no shared server ${name}` });
    const server = started.get(name) ?? start();
    started.set(name, server);
    server.then(
      ({ description }) => answer(response, 200, description),
      (error: unknown) => answer(response, 500, { error: String(error) }),
    );
  });
  await new Promise<void>((resolve) => {
    broker.listen(0, '127.0.0.1', resolve);
  });
  project.provide('sharedServers', `http://127.0.0.1:${(broker.address() as AddressInfo).port}`);
  return async () => {
    broker.close();
    broker.closeAllConnections();
    const servers = await Promise.allSettled(started.values());
    await Promise.all(servers.map((server) => server.status === 'fulfilled' && server.value.close()));
  };
}

const STARTERS: Readonly<
  Record<string, () => Promise<Started<SharedPostgres | SharedS3 | SharedLiveService>>>
> = {
  async postgres() {
    const { startPostgres } = await import('./postgres.ts');
    const server = await startPostgres();
    return { description: { url: server.url }, close: server.close };
  },
  async s3() {
    const { startS3 } = await import('./s3.ts');
    const { kind, access, close } = await startS3();
    return { description: { kind, access }, close };
  },
  async service() {
    const { startLiveService } = await import('./live-service.ts');
    const { address, key, stop } = await startLiveService();
    return { description: { address, key }, close: async () => void (await stop()) };
  },
};

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
