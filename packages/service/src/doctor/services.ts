import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Config } from '../config/load.ts';
import { ContrailsError } from '../errors.ts';
import { openDatabasePart, openStorePart } from '../parts.ts';
import type { OtherClock } from './clock.ts';
import type { Finding } from './finding.ts';

/** Opens the database, which also brings its schema up to date, and times a few statements. */
export async function checkDatabase(config: Config, clocks: OtherClock[]): Promise<Finding> {
  const name = config.database.kind === 'embedded' ? 'embedded' : config.database.shown;
  try {
    const database = await openDatabasePart(config);
    try {
      const latencyMs = await medianMs(5, () => database.ping());
      const steps = await database.query<{ count: number }>('SELECT count(*) AS count FROM migrations');
      if (database.dialect === 'postgres') {
        const beforeMs = Date.now();
        const rows = await database.query<{ ms: number }>(
          'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS ms',
        );
        const resolutionMs = Date.now() - beforeMs;
        for (const { ms } of rows)
          clocks.push({ name: 'the database', aheadMs: beforeMs - ms, resolutionMs });
      }
      const says = `${name}, schema current (${steps[0]?.count ?? 0} steps), answers in ${latencyMs.toFixed(1)} ms`;
      return latencyMs > 100
        ? { check: 'database', state: 'warn', says, remedy: 'move the service nearer to the database' }
        : { check: 'database', state: 'ok', says };
    } finally {
      await database.close();
    }
  } catch (error) {
    return failed('database', name, error, 'check the address, the password and that the server runs');
  }
}

/** Writes, reads and deletes one small object. */
export async function checkStore(config: Config, clocks: OtherClock[]): Promise<Finding> {
  const { data } = config;
  const name =
    data.kind === 'directory' ? data.path : `s3://${[data.bucket, data.prefix].filter(Boolean).join('/')}`;
  try {
    const store = await openStorePart(config);
    try {
      const key = `doctor/${randomUUID()}`;
      const text = Buffer.from('written by contrails doctor\n');
      const startedMs = Date.now();
      await store.put(key, text);
      try {
        const info = await store.head(key);
        const found = await store.read(key);
        if (info === undefined || found === undefined || !text.equals(await buffer(found.body))) {
          throw new ContrailsError('what was written came back different');
        }
        const tookMs = Date.now() - startedMs;
        clocks.push({ name: 'the store', aheadMs: startedMs - info.modifiedMs, resolutionMs: tookMs + 1000 });
        return { check: 'store', state: 'ok', says: `${name} can be written and read (${tookMs} ms)` };
      } finally {
        await store.remove(key);
      }
    } finally {
      await store.close();
    }
  } catch (error) {
    const remedy =
      data.kind === 'directory'
        ? 'check that the directory exists, may be written and has space'
        : 'check s3.endpoint, the bucket and the credentials';
    return failed('store', name, error, remedy);
  }
}

async function medianMs(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

function failed(check: string, name: string, error: unknown, remedy: string): Finding {
  const cause = error instanceof Error ? error.message : String(error);
  return { check, state: 'fail', says: `${name}: ${cause}`, remedy };
}
