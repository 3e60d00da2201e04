import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { runProgram } from '../../../../test/support/programs.ts';
import { until } from '../../../../test/support/until.ts';
import type { Database } from '../../src/database/index.ts';
import { generateKey } from '../../src/keys/format.ts';
import { createLimits, type Decision, type Limits } from '../../src/keys/index.ts';
import { createLeases, type Leases } from '../../src/keys/leases.ts';
import { openDatabase } from '../support/database.ts';
import type { AskedKey } from './programs/limits.ts';

interface DatabaseAddress {
  readonly database: string;
  readonly directory: string;
}

const PROGRAM = new URL('./programs/limits.ts', import.meta.url);

/** What the limits promise on every form of the database. `newDatabase` returns the address of an empty one. */
export function describeLimits(name: string, newDatabase: () => Promise<DatabaseAddress>): void {
  describe(`limits on ${name}`, () => {
    let at: DatabaseAddress;
    let database: Database;
    beforeAll(async () => {
      at = await newDatabase();
      database = await openDatabase(at);
    });
    afterAll(() => database.close());

    const freshKey = (ratePerMinute: number, concurrency: number) => ({
      id: generateKey().id,
      ratePerMinute,
      concurrency,
    });
    const startServer = (mode: 'rate' | 'hold', keys: readonly AskedKey[]) =>
      runProgram(PROGRAM, [at.database, at.directory, mode, JSON.stringify(keys)]);
    /** What two processes are granted together of each key, as long as both run. */
    const countsOfTwo = async (mode: 'rate' | 'hold', keys: readonly AskedKey[]) => {
      const programs = [startServer(mode, keys), startServer(mode, keys)];
      const lines = await Promise.all(programs.map((program) => program.firstLine));
      await Promise.all(programs.map((program) => program.kill()));
      const granted = lines.map((line) => JSON.parse(line) as number[]);
      return keys.map((_, k) => granted.reduce((sum, counts) => sum + (counts[k] ?? 0), 0));
    };
    const use = async (limits: Limits, key: ReturnType<typeof freshKey>) => {
      const decision = await limits.acquire(key);
      if (decision.granted) decision.release();
      return decision;
    };
    const outcome = (decision: Decision) => (decision.granted ? 'granted' : decision.reason);

    describe('rate', () => {
      test('a full bucket is a minute of requests; then one comes back at a time', async () => {
        let nowMs = 1_767_225_600_000;
        const limits = createLimits(database, { now: () => nowMs });
        const key = freshKey(30, 100);
        const outcomes = [];
        for (let count = 0; count < 31; count += 1) outcomes.push(outcome(await use(limits, key)));
        expect(outcomes).toEqual([...Array(30).fill('granted'), 'rate']);
        nowMs += 1_900;
        expect(outcome(await use(limits, key))).toBe('rate');
        nowMs += 100;
        expect(outcome(await use(limits, key))).toBe('granted');
        expect(outcome(await use(limits, key))).toBe('rate');
        nowMs += HOUR_MS;
        const later = await Promise.all(Array.from({ length: 40 }, () => use(limits, key)));
        expect(later.filter((decision) => decision.granted)).toHaveLength(30);
        await limits.close();
      });

      test('the headers show the limit, what is left, and when it is whole again', async () => {
        const limits = createLimits(database, { now: () => 1_767_225_600_000 });
        const key = freshKey(30, 100);
        const headers = [];
        for (let count = 0; count < 32; count += 1) headers.push((await use(limits, key)).headers);
        expect(headers[0]).toEqual({
          'ratelimit-limit': '30',
          'ratelimit-remaining': '29',
          'ratelimit-reset': '2',
        });
        expect(headers[31]).toEqual({
          'ratelimit-limit': '30',
          'ratelimit-remaining': '0',
          'ratelimit-reset': '60',
        });
        const refused = await use(limits, key);
        expect(refused).toMatchObject({ granted: false, retryAfterSeconds: 2 });
        await limits.close();
      });

      test('any traffic over several servers gets what was earned, and not one more', async () => {
        const step = fc.record({
          server: fc.nat(2),
          waitMs: fc.nat(1_000),
          requests: fc.integer({ min: 1, max: 40 }),
        });
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 3_000 }),
            fc.array(step, { minLength: 1, maxLength: 15 }),
            async (ratePerMinute, steps) => {
              const startMs = 1_767_225_600_000;
              let nowMs = startMs;
              const servers = Array.from({ length: 3 }, () => createLimits(database, { now: () => nowMs }));
              const key = freshKey(ratePerMinute, 1_000);
              let granted = 0;
              for (const { server, waitMs, requests } of steps) {
                nowMs += waitMs;
                const limits = servers[server] as Limits;
                const decisions = await Promise.all(Array.from({ length: requests }, () => use(limits, key)));
                granted += decisions.filter((decision) => decision.granted).length;
                expect(granted * MINUTE_MS).toBeLessThanOrEqual(ratePerMinute * (60_000 + nowMs - startMs));
              }
              await Promise.all(servers.map((limits) => limits.close()));
            },
          ),
          { numRuns: times(8) },
        );
      });

      test('what a server does not use it hands back', async () => {
        const now = () => 1_767_225_600_000;
        const key = freshKey(600, 100);
        const first = createLimits(database, { now });
        await use(first, key);
        await first.close();
        const second = createLimits(database, { now });
        const decisions = await Promise.all(
          Array.from({ length: 600 }, () => use(second, { ...key, concurrency: 600 })),
        );
        expect(decisions.filter((decision) => decision.granted)).toHaveLength(599);
        await second.close();
      });

      test('processes that share a limit grant it exactly', async () => {
        const rates = [7, 500];
        const counts = await countsOfTwo(
          'rate',
          rates.map((rate) => ({ ...freshKey(rate, 1_000), asks: rate })),
        );
        expect(counts).toEqual(rates);
      });
    });

    describe('concurrency', () => {
      test('a request too many waits for one that ends', async () => {
        const limits = createLimits(database);
        const key = freshKey(10_000, 2);
        const running = await Promise.all([limits.acquire(key), limits.acquire(key)]);
        const third = limits.acquire(key);
        await pause(50);
        for (const decision of running) if (decision.granted) decision.release();
        expect(outcome(await third)).toBe('granted');
        await limits.close();
      });

      test('when none ends it is refused, and costs no token', async () => {
        const limits = createLimits(database, { now: () => 1_767_225_600_000 });
        const key = freshKey(10, 2);
        const running = await Promise.all([limits.acquire(key), limits.acquire(key)]);
        const refused = await limits.acquire(key);
        expect(refused).toMatchObject({ granted: false, reason: 'concurrency', retryAfterSeconds: 1 });
        for (const decision of running) if (decision.granted) decision.release();
        const after = await use(limits, key);
        expect(after.headers['ratelimit-remaining']).toBe('7');
        await limits.close();
      });

      test('a flood of callers is refused at once rather than kept waiting', async () => {
        let exchanged: () => void = () => undefined;
        const watched: Database = {
          ...database,
          async transaction(work) {
            const result = await database.transaction(work);
            // When the caller that asked has seen the result.
            setImmediate(exchanged);
            return result;
          },
        };
        const limits = createLimits(watched);
        const key = freshKey(100_000, 3);
        const running = await Promise.all(Array.from({ length: 3 }, () => limits.acquire(key)));
        const noSlotIsFree = new Promise<void>((resolve) => {
          exchanged = resolve;
        });
        const first = limits.acquire(key);
        await noSlotIsFree;
        const order: number[] = [];
        const flood = Array.from({ length: 100 }, async (_, index) => {
          const decision = await limits.acquire(key);
          order.push(index);
          return outcome(decision);
        });
        expect(await Promise.all(flood)).toEqual(Array(100).fill('concurrency'));
        // As many as the key may run wait, the first caller included; the others do not wait for these.
        expect(order.slice(0, 98)).toEqual(Array.from({ length: 98 }, (_, index) => index + 2));
        expect(outcome(await first)).toBe('concurrency');
        for (const decision of running) if (decision.granted) decision.release();
        await limits.close();
      });

      test('releasing twice frees one slot', async () => {
        const limits = createLimits(database);
        const key = freshKey(10_000, 2);
        const [first, second] = await Promise.all([limits.acquire(key), limits.acquire(key)]);
        if (first.granted) {
          first.release();
          first.release();
        }
        expect(outcome(await limits.acquire(key))).toBe('granted');
        expect(outcome(await limits.acquire(key))).toBe('concurrency');
        expect(second.granted).toBe(true);
        await limits.close();
      });

      test('idle slots of one server are there for a caller of another', async () => {
        const [first, second] = [createLimits(database), createLimits(database)];
        const key = freshKey(100_000, 20);
        const hold = async (limits: Limits) => {
          const decisions = await Promise.all(Array.from({ length: 20 }, () => limits.acquire(key)));
          for (const decision of decisions) if (decision.granted) decision.release();
          return decisions.filter((decision) => decision.granted).length;
        };
        expect(await hold(first)).toBe(20);
        // A caller waits a moment only for slots that another server has to hand over.
        for (const limits of [second, first])
          await until('the other server has handed over its slots', async () => (await hold(limits)) === 20);
        await Promise.all([first.close(), second.close()]);
      });

      test('servers in turmoil never run more at once than allowed', async () => {
        const servers = Array.from({ length: 3 }, () => createLimits(database));
        const key = freshKey(1_000_000, 7);
        let running = 0;
        let most = 0;
        let done = 0;
        const client = async (limits: Limits, seed: number) => {
          for (let round = 0; round < 12; round += 1) {
            const decision = await limits.acquire(key);
            if (!decision.granted) continue;
            running += 1;
            most = Math.max(most, running);
            await pause((seed * 7 + round * 13) % 40);
            running -= 1;
            done += 1;
            decision.release();
          }
        };
        await Promise.all(
          servers.flatMap((limits) => Array.from({ length: 6 }, (_, seed) => client(limits, seed))),
        );
        expect(most).toBe(7);
        expect(done).toBeGreaterThan(12);
        await Promise.all(servers.map((limits) => limits.close()));
      });

      test('processes that share a limit grant it exactly', async () => {
        const limited = [1, 40];
        const counts = await countsOfTwo(
          'hold',
          limited.map((concurrency) => ({ ...freshKey(1_000_000, concurrency), asks: concurrency })),
        );
        expect(counts).toEqual(limited);
      });

      test('the slots of a killed server are free after 15 s, and not at once', async () => {
        const key = freshKey(1_000, 5);
        const program = startServer('hold', [{ ...key, asks: 5 }]);
        expect(await program.firstLine).toBe('[5]');
        await program.kill();
        let laterMs = 0;
        const limits = createLimits(database, { now: () => Date.now() + laterMs });
        expect(outcome(await limits.acquire(key))).toBe('concurrency');
        laterMs = 15_000;
        const decisions = await Promise.all(Array.from({ length: 5 }, () => limits.acquire(key)));
        expect(decisions.map(outcome)).toEqual(Array(5).fill('granted'));
        for (const decision of decisions) if (decision.granted) decision.release();
        await limits.close();
      });

      test('a server that slept through its lease keeps what it runs, and no idle slot that another has now', async () => {
        const [sleeper, other] = [createLeases(database, 'sleeper'), createLeases(database, 'other')];
        const key = freshKey(1_000, 6);
        const nothing = { callers: 0, tokensBack: 0, tokensKept: 0, slotsKept: 0, slotsInUse: 0 };
        const startMs = 1_767_225_600_000;
        const slots = async (leases: Leases, request: Partial<typeof nothing>, atMs: number) =>
          (await leases.exchange(key.id, key, { ...nothing, ...request }, startMs + atMs)).slots;
        expect(await slots(sleeper, { callers: 6 }, 0)).toBe(6);
        expect(await slots(other, { callers: 4 }, 11_999)).toBe(0);
        expect(await slots(other, { callers: 4 }, 12_000)).toBe(4);
        expect(await slots(sleeper, { slotsKept: 6, slotsInUse: 1 }, 12_001)).toBe(1);
        expect(await slots(other, { slotsKept: 4, slotsInUse: 4, callers: 9 }, 12_002)).toBe(5);
      });

      test('a request that runs for long keeps its slot', async () => {
        let nowMs = 1_767_225_600_000;
        const [first, second] = [
          createLimits(database, { now: () => nowMs }),
          createLimits(database, { now: () => nowMs }),
        ];
        const key = freshKey(1_000, 1);
        const long = await first.acquire(key);
        for (let step = 0; step < 10; step += 1) {
          nowMs += 3_000;
          await renewal(database, key.id, nowMs);
        }
        expect(outcome(await second.acquire(key))).toBe('concurrency');
        if (long.granted) long.release();
        // The slot comes back by way of the database.
        const acquireLater = async () => {
          nowMs += 100;
          return outcome(await second.acquire(key)) === 'granted';
        };
        await until('the slot is back', acquireLater);
        await Promise.all([first.close(), second.close()]);
      });
    });

    test('a busy key with generous limits hardly ever asks the database', async () => {
      let transactions = 0;
      const counting: Database = {
        ...database,
        transaction: (work) => {
          transactions += 1;
          return database.transaction(work);
        },
      };
      const limits = createLimits(counting, { now: () => 1_767_225_600_000 });
      const key = freshKey(60_000, 100);
      for (let count = 0; count < 5_000; count += 1) await use(limits, key);
      expect(transactions).toBeLessThanOrEqual(20);
      await limits.close();
    });

    test('limits that are closed grant nothing', async () => {
      const limits = createLimits(database);
      await limits.close();
      await expect(limits.acquire(freshKey(1, 1))).rejects.toThrow('stopping');
    });
  });
}

/** Waits until the lease of the key was renewed at this time or later. */
async function renewal(database: Database, keyId: string, nowMs: number): Promise<void> {
  const isRenewed = async () => {
    const [row] = await database.query<{ expires_ms: number }>(
      'SELECT expires_ms FROM slot_leases WHERE key_id = $1',
      [keyId],
    );
    return row !== undefined && row.expires_ms > nowMs;
  };
  await until('the lease is renewed', isRenewed, { pauseMs: 10 });
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
