import { HOUR_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import type { Database } from '../../src/database/index.ts';
import { createKeys, createUsageRecorder, readUsage, type UsageRecorder } from '../../src/keys/index.ts';
import { testScopes } from '../support/api.ts';

/** What the count of usage promises on every form of the database. */
export function describeUsage(name: string, open: () => Promise<Database>): void {
  describe(`usage on ${name}`, () => {
    let database: Database;
    let nowMs: number;
    beforeAll(async () => {
      database = await open();
    });
    afterAll(() => database.close());
    beforeEach(async () => {
      nowMs = Date.UTC(2026, 0, 31, 12);
      await database.execute('DELETE FROM usage');
    });

    /** Nothing is flushed unless the test says so. */
    const recorder = () => createUsageRecorder(database, { now: () => nowMs, flushEveryMs: HOUR_MS });
    const use = (usage: UsageRecorder, keyId: string, endpoint: string, bytes = 1, computeSeconds = 0.5) =>
      usage.record({ keyId, endpoint, bytes, computeSeconds });

    test('requests, bytes and seconds add up by key, day and endpoint', async () => {
      const usage = recorder();
      use(usage, 'a', '/v0/x', 10, 0.25);
      use(usage, 'a', '/v0/x', 2 ** 40, 0.5);
      use(usage, 'a', '/v0/y');
      use(usage, 'b', '/v0/x');
      await usage.flush();
      nowMs = Date.UTC(2026, 1, 1);
      use(usage, 'a', '/v0/x', 1, 1);
      await usage.close();
      expect(await readUsage(database)).toEqual([
        {
          keyId: 'a',
          keyName: null,
          day: '2026-01-31',
          endpoint: '/v0/x',
          requests: 2,
          bytes: 2 ** 40 + 10,
          computeSeconds: 0.75,
        },
        {
          keyId: 'a',
          keyName: null,
          day: '2026-01-31',
          endpoint: '/v0/y',
          requests: 1,
          bytes: 1,
          computeSeconds: 0.5,
        },
        {
          keyId: 'a',
          keyName: null,
          day: '2026-02-01',
          endpoint: '/v0/x',
          requests: 1,
          bytes: 1,
          computeSeconds: 1,
        },
        {
          keyId: 'b',
          keyName: null,
          day: '2026-01-31',
          endpoint: '/v0/x',
          requests: 1,
          bytes: 1,
          computeSeconds: 0.5,
        },
      ]);
    });

    test('it has the names of the keys', async () => {
      const { key } = await createKeys(database, testScopes).create({ name: 'flight planning' });
      const usage = createUsageRecorder(database);
      use(usage, key.id, '/v0/named');
      await usage.close();
      expect(await readUsage(database, { keyId: key.id })).toMatchObject([
        { keyId: key.id, keyName: 'flight planning', requests: 1 },
      ]);
    });

    test('it can be read by key and by days, both inclusive', async () => {
      const usage = recorder();
      for (const day of [1, 2, 3, 4]) {
        nowMs = Date.UTC(2026, 0, day, 23, 59, 59, 999);
        use(usage, 'a', '/x');
        use(usage, 'b', '/x');
      }
      await usage.close();
      const rows = await readUsage(database, { keyId: 'b', fromDay: '2026-01-02', toDay: '2026-01-03' });
      expect(rows.map((row) => `${row.keyId} ${row.day}`)).toEqual(['b 2026-01-02', 'b 2026-01-03']);
    });

    test('however requests are spread over servers and flushes, the total is the same', async () => {
      const requests = fc.array(
        fc.record({ key: fc.constantFrom('a', 'b'), path: fc.constantFrom('/x', '/y'), flush: fc.boolean() }),
        { maxLength: 30 },
      );
      await fc.assert(
        fc.asyncProperty(requests, async (schedule) => {
          await database.execute('DELETE FROM usage');
          const servers = [recorder(), recorder()] as const;
          const flushes: Promise<void>[] = [];
          for (const [index, { key, path, flush }] of schedule.entries()) {
            const server = servers[index % 2 === 0 ? 0 : 1];
            use(server, key, path, index);
            if (flush) flushes.push(server.flush());
          }
          await Promise.all([...flushes, servers[0].close(), servers[1].close()]);
          const rows = await readUsage(database);
          expect(rows.reduce((sum, row) => sum + row.requests, 0)).toBe(schedule.length);
          expect(rows.reduce((sum, row) => sum + row.bytes, 0)).toBe(
            schedule.reduce((sum, _, index) => sum + index, 0),
          );
        }),
        { numRuns: times(10) },
      );
    });

    test('endless different endpoints need bounded room, and the requests of a key stay countable', async () => {
      const usage = createUsageRecorder(database, { capacity: 50 });
      for (let count = 0; count < 80; count += 1) use(usage, 'a', `/${count}`);
      await usage.close();
      const rows = await readUsage(database);
      expect(rows).toHaveLength(51);
      expect(rows.find((row) => row.endpoint === '(other)')?.requests).toBe(30);
    });
  });
}
