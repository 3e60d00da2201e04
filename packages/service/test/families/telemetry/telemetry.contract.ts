import { leaseSource } from '@contrails/platform/feeds/leases';
import { DAY_MS, HOUR_MS, isoHour } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainAirframe } from '../../../src/families/telemetry/explain.ts';
import { publishWithRetry } from '../../../src/families/telemetry/hours/jobs.ts';
import {
  closeHours,
  forgetQuarantine,
  removeHours,
  removeOrphans,
  reopenHour,
} from '../../../src/families/telemetry/hours/maintenance.ts';
import { dueHours } from '../../../src/families/telemetry/hours/plan.ts';
import { publishHour } from '../../../src/families/telemetry/hours/publish.ts';
import { applyBatch } from '../../../src/families/telemetry/ingest/batch.ts';
import { bytesReader } from '../../../src/families/telemetry/ingest/import.ts';
import {
  dropQuarantine,
  listQuarantine,
  quarantinedRecords,
  retryQuarantine,
} from '../../../src/families/telemetry/ingest/quarantine.ts';
import { completenessOfDay } from '../../../src/telemetry-store/completeness.ts';
import { generationKeys, hourPrefix, readManifest } from '../../../src/telemetry-store/manifest.ts';
import { type AircraftRows, readAircraftRows } from '../../../src/telemetry-store/read.ts';
import type { TelemetryServices } from '../../../src/telemetry-store/services.ts';
import { addGap, listSources, syncSources } from '../../../src/telemetry-store/sources.ts';
import { findHour } from '../../../src/telemetry-store/table.ts';
import { APPLY, defaultRules, readHour } from './support/installation.ts';
import { HOUR, headerOf, type Report, readerOf } from './support/reports.ts';

const RULES = defaultRules();

export interface OpenedTelemetry {
  /** Two handles on one empty installation, as two processes have them. */
  readonly one: TelemetryServices;
  readonly other: TelemetryServices;
  close(): Promise<void>;
}

/** What telemetry promises on every database and store. Every test has its own hours. */
export function describeTelemetry(name: string, open: () => Promise<OpenedTelemetry>): void {
  describe(name, () => {
    let opened: OpenedTelemetry;
    let one: TelemetryServices;
    let other: TelemetryServices;
    beforeAll(async () => {
      opened = await open();
      ({ one, other } = opened);
    });
    afterAll(() => opened.close());

    const apply = (
      reports: readonly Report[],
      options: Partial<typeof APPLY> & { nowMs?: number; source?: string } = {},
    ) =>
      applyBatch(one, headerOf(reports, options.source ?? 'roof', options.nowMs), readerOf(reports), {
        ...APPLY,
        ...options,
      });
    const keysOf = async (prefix: string) => Array.fromAsync(one.store.list(prefix), ({ key }) => key);

    test('a batch that two processes send at once is applied once', async () => {
      const hour = HOUR + 100 * DAY_MS;
      const reports = [{ timeMs: hour, address: '4B1800' }];
      const receipts = await Promise.all(
        [one, other, one, other].map((to) => applyBatch(to, headerOf(reports), readerOf(reports), APPLY)),
      );
      expect(receipts.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
      expect(new Set(receipts.map(({ batch }) => batch)).size).toBe(1);
      expect(receipts.every(({ accepted }) => accepted === 1)).toBe(true);
      await publishHour(one, RULES, hour, hour + HOUR_MS);
      expect(await readHour(one, hour)).toHaveLength(1);
      // The objects of those that came second are gone.
      expect(await keysOf(`telemetry-wal/date=2026-04-11/`)).toHaveLength(1);
    });

    test('two builders of an hour leave one whole generation with all its reports', async () => {
      const hour = HOUR + 101 * DAY_MS;
      for (let k = 0; k < 4; k += 1) {
        await apply([{ timeMs: hour + k * 60_000, address: '4B1800' }]);
        await Promise.all([one, other].map((by) => publishWithRetry(by, RULES, hour, () => hour + HOUR_MS)));
        const current = await readManifest(one.store, hour);
        expect(current?.manifest.rows).toBe(k + 1);
        expect(await readHour(one, hour)).toHaveLength(k + 1);
        expect((await findHour(one.database, hour))?.pending).toBe(0);
      }
    });

    test('keeps the last three generations', async () => {
      const hour = HOUR + 102 * DAY_MS;
      for (let k = 1; k <= 5; k += 1) {
        await apply([{ timeMs: hour + k * 60_000, address: '4B1800' }]);
        await publishHour(one, RULES, hour, hour + HOUR_MS);
      }
      const kept = [5, 4, 3].flatMap((g) => Object.values(generationKeys(hour, g)));
      expect(await keysOf(`${hourPrefix(hour)}/`)).toEqual(
        [...kept, `${hourPrefix(hour)}/current.json`].sort(),
      );
      expect((await readManifest(one.store, hour))?.manifest).toMatchObject({
        state: 'revised',
        generation: 5,
        generations: [5, 4, 3],
      });
    });

    test('a closed hour refuses late reports, which come in after it is reopened', async () => {
      const hour = HOUR + 103 * DAY_MS;
      const sealedMs = hour + HOUR_MS;
      const closedMs = sealedMs + RULES.closeAfterMs;
      await apply([
        { timeMs: hour, address: '4B1800' },
        { timeMs: hour, address: '4B1800', callsign: 'OTHER' },
      ]);
      await publishHour(one, RULES, hour, sealedMs);
      await closeHours(one, RULES, closedMs);
      expect((await readManifest(one.store, hour))?.manifest.state).toBe('closed');
      expect(await findHour(one.database, hour)).toMatchObject({ state: 'closed', rows: 1, refused: {} });
      expect(await keysOf(`telemetry-wal/date=2026-04-14/`)).toEqual([]);

      const late = [{ timeMs: hour + 60_000, address: '4B1800', callsign: 'LATE' }];
      const refused = await apply(late, { nowMs: closedMs + 1 });
      expect(refused).toMatchObject({ accepted: 0, refused: { late: 1 } });
      const [entry] = await listQuarantine(one.database, { batch: refused.batch });
      expect(entry).toMatchObject({ source: 'roof', codes: { late: 1 } });
      const again = await retryQuarantine(one, RULES, refused.batch, closedMs + 2);
      expect(again).toMatchObject({ accepted: 0, refused: { late: 1 } });

      await reopenHour(one, hour, closedMs + 3);
      expect((await readManifest(one.store, hour))?.manifest.state).toBe('sealed');
      const accepted = await retryQuarantine(one, RULES, again.batch, closedMs + 4);
      expect(accepted).toMatchObject({ accepted: 1, refused: {} });
      expect(await listQuarantine(one.database, { batch: again.batch })).toEqual([]);
      // The batches of before are gone: the hour is built from what was published.
      expect(await publishHour(one, RULES, hour, closedMs + 5)).toMatchObject({ isNew: true, rows: 2 });
      const rows = await readHour(one, hour, 'by_aircraft', 'callsign, source, quality');
      expect(rows.map(({ callsign }) => callsign).sort()).toContain('LATE');
      const day = await completenessOfDay(one, hour - 6 * HOUR_MS);
      expect(day).toMatchObject({ rows: 2, refused: { conflicting_duplicate: 1 } });
      expect(day.refused).not.toHaveProperty('late');
    });

    test('a record that is read again leaves its old count, whether it is refused again or not', async () => {
      const source = 'counted';
      const day = '2024-02-03';
      const hour = Date.parse(`${day}T06:00:00Z`);
      const nowMs = hour + DAY_MS;
      const line = (more: object) =>
        JSON.stringify({ latitude: 1, longitude: 2, altitude_baro: 3000, icao_address: '4B1800', ...more });
      const lines = [
        line({ timestamp: `${day}T06:00:00Z` }),
        // In the future for the first reading only.
        line({ timestamp: '2024-02-05T06:00:00Z' }),
        line({ timestamp: `${day}T06:00:00Z`, altitude_baro: 99_000 }),
        line({ timestamp: `${day}T06:00:00Z`, callsign: '\u2028', icao_address: 'XYZ' }),
        line({ altitude_baro: 4000 }),
        '{"timestamp": broken',
      ];
      const counts = async () =>
        (
          await one.database.query<{ day: string; code: string; records: number }>(
            'SELECT day, code, records FROM telemetry_refused WHERE source = $1 ORDER BY day, code',
            [source],
          )
        ).map((row) => [row.day, row.code, Number(row.records)]);
      const header = { ...headerOf([], source, nowMs), sha256: 'counted' };
      const bytes = Buffer.from(lines.join('\n'));
      const first = await applyBatch(one, header, bytesReader(bytes, { format: 'table', nowMs }), APPLY);
      expect(first).toMatchObject({ records: 6, accepted: 1 });
      const still = [
        [day, 'altitude_out_of_range', 1],
        [day, 'bad_address', 1],
        [day, 'missing_time', 1],
        [day, 'parse_error', 1],
      ];
      expect(await counts()).toEqual([...still, ['2024-02-05', 'time_in_future', 1]]);
      const [entry] = await listQuarantine(one.database, { batch: first.batch });
      if (entry === undefined) throw new Error('nothing is kept');
      const kept = await Array.fromAsync(quarantinedRecords(one.store, entry));
      expect(kept.map(({ day: of }) => of)).toEqual(['2024-02-05', day, day, day, day]);

      const again = await retryQuarantine(one, RULES, first.batch, nowMs + 3 * DAY_MS);
      expect(again).toMatchObject({ records: 5, accepted: 1 });
      expect(await counts()).toEqual(still);
      await retryQuarantine(one, RULES, again.batch, nowMs + 4 * DAY_MS);
      expect(await counts()).toEqual(still);
      expect(await listQuarantine(one.database, { source })).toMatchObject([{ records: 4 }]);
    });

    test('every refusal of an airframe is listed with its reason, also of records that are only counted', async () => {
      const hour = HOUR + 300 * DAY_MS;
      const row = { timestamp: new Date(hour).toISOString(), latitude: 47, longitude: 8 };
      const lines = [
        { ...row, icao_address: '3C6444', altitude_baro: 35_000 },
        { ...row, icao_address: '3c6444', on_ground: true },
        { ...row, icao_address: '3C6444', on_ground: true },
        { ...row, icao_address: '3C6444', latitude: null },
        { ...row, icao_address: '3C6444', altitude_baro: 99_999 },
        { ...row, icao_address: '~3C6444' },
        { ...row, icao_address: '3C6445', on_ground: true },
        { ...row, icao_address: '3C6444', altitude_baro: 35_000, timestamp: null },
      ].map((line) => JSON.stringify(line));
      const header = { ...headerOf([], 'field', hour), sha256: 'refusals' };
      const bytes = Buffer.from(lines.join('\n'));
      const reader = bytesReader(bytes, { format: 'table', nowMs: hour });
      const { batch } = await applyBatch(one, header, reader, APPLY);
      const refused = async () =>
        (
          await explainAirframe(one, { address: '3C6444', dayMs: hour - (hour % DAY_MS), memoryMiB: 256 })
        ).refused.map(({ address, code, records, record }) => `${address} ${code} ${records} ${record}`);
      expect(await refused()).toEqual([
        '3C6444 on_ground 2 1',
        '3C6444 altitude_out_of_range 1 4',
        '3C6444 missing_position 1 3',
        '3C6444 missing_time 1 7',
        '~3C6444 non_icao_address 1 5',
      ]);
      await retryQuarantine(one, RULES, batch, hour);
      expect(await refused()).toHaveLength(5);
      await forgetQuarantine(one, { quarantineMs: DAY_MS }, hour + 3 * DAY_MS);
      expect(await refused()).toEqual([]);
    });

    test('a removal of an hour that was interrupted is finished by the next run', async () => {
      const hour = HOUR - 800 * DAY_MS;
      const closedMs = hour + HOUR_MS + RULES.closeAfterMs;
      for (const minute of [0, 1]) {
        await apply([{ timeMs: hour + minute * 60_000, address: '4B1800' }], { nowMs: hour });
        await publishHour(one, RULES, hour, hour + HOUR_MS);
      }
      await closeHours(one, RULES, closedMs);
      const run = (services: TelemetryServices) =>
        removeHours(services, { keepMs: RULES.closeAfterMs }, closedMs + DAY_MS);
      let removals = 0;
      const failing: TelemetryServices['store'] = {
        ...one.store,
        async remove(key) {
          removals += 1;
          if (removals > 1) throw new Error('killed');
          return one.store.remove(key);
        },
      };
      await expect(run({ ...one, store: failing })).rejects.toThrow('killed');
      expect((await readManifest(one.store, hour))?.manifest.state).toBe('removed');
      expect((await keysOf(`${hourPrefix(hour)}/`)).length).toBeGreaterThan(1);
      await run(one);
      expect(await keysOf(`${hourPrefix(hour)}/`)).toEqual([`${hourPrefix(hour)}/current.json`]);
      expect(await findHour(one.database, hour)).toMatchObject({ state: 'removed' });
    });

    test('records that lost against others can be looked up and dropped, but not read again', async () => {
      const hour = HOUR + 104 * DAY_MS;
      await apply([
        { timeMs: hour, address: '4B1800', callsign: 'A', ageS: 1 },
        { timeMs: hour, address: '4B1800', callsign: 'B', ageS: 2 },
      ]);
      await publishHour(one, RULES, hour, hour + HOUR_MS);
      const [entry] = await listQuarantine(one.database, { batch: 'hour-2026-04-15T06' });
      if (entry === undefined) throw new Error('nothing is kept');
      const records = await Array.fromAsync(quarantinedRecords(one.store, entry));
      expect(records).toMatchObject([{ code: 'conflicting_duplicate', raw: expect.stringContaining('"B"') }]);
      await expect(retryQuarantine(one, RULES, entry.batch, 0)).rejects.toThrow('drop them');
      expect(await dropQuarantine(one, entry.batch)).toBe(1);
    });

    test('records that lose after the hour was published are kept too, though the hour does not change', async () => {
      const hour = HOUR + 130 * DAY_MS;
      await apply([{ timeMs: hour, address: '4B1800', callsign: 'A', ageS: 1 }]);
      await publishHour(one, RULES, hour, hour + HOUR_MS);
      await apply([{ timeMs: hour, address: '4B1800', callsign: 'B', ageS: 2 }]);
      expect(await publishHour(one, RULES, hour, hour + HOUR_MS)).toMatchObject({ isNew: false });
      expect((await findHour(one.database, hour))?.refused).toEqual({ roof: { conflicting_duplicate: 1 } });
      expect(await listQuarantine(one.database, { batch: 'hour-2026-05-11T06' })).toMatchObject([
        { records: 1 },
      ]);
    });

    test('every report that a reopened hour takes is counted once, and what lost before stays kept', async () => {
      const hour = HOUR + 131 * DAY_MS;
      const closedMs = hour + HOUR_MS + RULES.closeAfterMs;
      await apply([
        { timeMs: hour + 10_000, address: '4B1800', ageS: 1 },
        { timeMs: hour + 10_000, address: '4B1800', callsign: 'LOST', ageS: 2 },
      ]);
      await publishHour(one, RULES, hour, hour + HOUR_MS);
      await closeHours(one, RULES, closedMs);
      await reopenHour(one, hour, closedMs);
      // The first one is now the first of its 30 s.
      await apply(
        [
          { timeMs: hour + 5_000, address: '4B1800' },
          { timeMs: hour + 60_000, address: '4B1800', ageS: 1 },
          { timeMs: hour + 60_000, address: '4B1800', callsign: 'LOST', ageS: 2 },
        ],
        { nowMs: closedMs },
      );
      await publishHour(one, RULES, hour, closedMs);
      const refused = { roof: { conflicting_duplicate: 1, thinned: 1 } };
      expect((await findHour(one.database, hour))?.refused).toEqual(refused);
      await apply([{ timeMs: hour + 120_000, address: '4B1800' }], { nowMs: closedMs });
      expect(await publishHour(one, RULES, hour, closedMs)).toMatchObject({ isNew: true, rows: 3 });
      expect(await publishHour(one, RULES, hour, closedMs)).toMatchObject({ isNew: false, rows: 3 });
      expect((await findHour(one.database, hour))?.refused).toEqual(refused);
      const kept = await listQuarantine(one.database, { code: 'conflicting_duplicate' });
      expect(kept.filter(({ batch }) => batch.startsWith('hour-2026-05-12T06'))).toHaveLength(2);
      await closeHours(one, RULES, closedMs + RULES.closeAfterMs);
      const day = await completenessOfDay(one, hour - 6 * HOUR_MS);
      expect(day).toMatchObject({ rows: 3, refused: { conflicting_duplicate: 2, thinned: 1 } });
    });

    test('reports from the ground do not change a closed hour', async () => {
      const hour = HOUR + 132 * DAY_MS;
      const closedMs = hour + HOUR_MS + RULES.closeAfterMs;
      await apply([{ timeMs: hour, address: '4B1800' }]);
      await publishHour(one, RULES, hour, hour + HOUR_MS);
      await closeHours(one, RULES, closedMs);
      const ground = [{ timeMs: hour + 1_000, address: '4B1800' }];
      const receipt = await applyBatch(one, headerOf(ground, 'roof', closedMs), readerOf([], ground), APPLY);
      expect(receipt).toMatchObject({ records: 1, refused: { on_ground: 1 } });
      expect(await findHour(one.database, hour)).toMatchObject({ state: 'closed', pending: 0 });
    });

    test('an hour is due when every source has passed it, or after a time', async () => {
      const hour = HOUR + 105 * DAY_MS;
      const feed = {
        name: 'feed',
        kind: 'push',
        format: undefined,
        path: '',
        url: '',
        legsPerDay: 0,
        backfillMs: 0,
        intervalMs: 1000,
        latenessMs: 900_000,
        stalledAfterMs: 900_000,
        isStrict: false,
        isEnabled: true,
      } as const;
      const isDue = async (nowMs: number) =>
        (await dueHours(one.database, RULES, nowMs)).some(({ hourMs }) => hourMs === hour);
      const end = hour + HOUR_MS;
      await syncSources(one.database, [feed], end);
      await apply([{ timeMs: hour, address: '4B1800' }], { source: 'feed', nowMs: end });
      expect(await isDue(end - 1)).toBe(false);
      expect(await isDue(end + 60_000)).toBe(false);
      expect(await isDue(end + RULES.sealAfterMs)).toBe(true);
      await apply([{ timeMs: end + 900_000, address: '4B1800' }], { source: 'feed', nowMs: end });
      expect(await isDue(end + 900_000)).toBe(true);
      expect(await listSources(one.database, end + 899_000)).toContainEqual(
        expect.objectContaining({ name: 'feed', isStalled: false }),
      );
      expect(await listSources(one.database, end + 901_000)).toContainEqual(
        expect.objectContaining({ name: 'feed', isStalled: true }),
      );
      await syncSources(one.database, [], end);
      expect(await isDue(end)).toBe(true);
    });

    test('one process at a time works on a source', async () => {
      await apply([{ timeMs: HOUR + 106 * DAY_MS, address: '4B1800' }], { source: 'leased' });
      const lease = (services: TelemetryServices, owner: string, nowMs: number) =>
        leaseSource(
          services.database,
          { table: 'telemetry_sources', source: 'leased' },
          owner,
          nowMs,
          nowMs + 100,
        );
      expect([await lease(one, 'a', 0), await lease(other, 'b', 50), await lease(one, 'a', 90)]).toEqual([
        true,
        false,
        true,
      ]);
      expect(await lease(other, 'b', 191)).toBe(true);
    });

    test('reports of an aircraft come in the order of time over hours, with those from the ground', async () => {
      const hour = HOUR + 107 * DAY_MS;
      const reports = [
        { timeMs: hour + HOUR_MS, address: '4B1800', nacp: 3 },
        { timeMs: hour + HOUR_MS - 60_000, address: '4B1800', nacp: 9 },
        { timeMs: hour, address: '40095D' },
      ];
      const ground = [{ timeMs: hour + 10, address: '4B1800' }];
      await applyBatch(one, headerOf([...reports, ...ground]), readerOf(reports, ground), APPLY);
      for (const one_ of [hour, hour + HOUR_MS]) await publishHour(one, RULES, one_, hour + 2 * HOUR_MS);
      const found: AircraftRows[] = [];
      const generations = await readAircraftRows(
        one,
        { fromMs: hour, toMs: hour + 3 * HOUR_MS, memoryMiB: 128 },
        (rows) => void found.push(rows),
      );
      expect(generations).toEqual({ '2026-04-18T06': 1, '2026-04-18T07': 1 });
      expect(found.map(({ address }) => address)).toEqual(['40095D', '4B1800']);
      expect([...(found[1]?.columns.timestamp ?? [])]).toEqual([hour + HOUR_MS - 60_000, hour + HOUR_MS]);
      expect([...(found[1]?.groundMs ?? [])]).toEqual([hour + 10]);
      const only: string[] = [];
      await readAircraftRows(
        one,
        { fromMs: hour, toMs: hour + HOUR_MS, addresses: ['40095D'], memoryMiB: 128 },
        ({ address }) => void only.push(address),
      );
      expect(only).toEqual(['40095D']);
    });

    test('shares of the aircraft have each of them once, however few there are', async () => {
      const hour = HOUR + 400 * DAY_MS;
      const addresses = ['40095D', '4B1800', '4CA123', 'A00001', 'A00002'];
      const reports = addresses.flatMap((address, k) =>
        Array.from({ length: 3 * k + 1 }, (_, minute) => ({ timeMs: hour + minute * 60_000, address })),
      );
      await apply(reports);
      await publishHour(one, RULES, hour, hour + 2 * HOUR_MS);
      for (const count of [1, 2, 3, 7]) {
        const shares: string[][] = [];
        for (let index = 0; index < count; index++) {
          const share: string[] = [];
          await readAircraftRows(
            one,
            { fromMs: hour, toMs: hour + HOUR_MS, shard: { index, count }, memoryMiB: 128 },
            ({ address }) => void share.push(address),
          );
          shares.push(share);
        }
        expect(shares.flat()).toEqual(addresses);
        if (count > 1) expect(shares.filter(({ length }) => length > 0).length).toBeGreaterThan(1);
      }
    });

    test('the figures of a day compare with the days before and name gaps', async () => {
      const hour = HOUR + 110 * DAY_MS;
      for (const [day, count] of [0, 1, 2].entries()) {
        const at = hour + day * DAY_MS;
        const reports = Array.from({ length: 2 * (count + 1) }, (_, k) => ({
          timeMs: at + k * 60_000,
          address: k % 2 === 0 ? '4B1800' : '40095D',
        }));
        await apply(reports);
        await publishHour(one, RULES, at, at + HOUR_MS);
      }
      await addGap(one.database, {
        source: 'roof',
        fromMs: hour + 2 * DAY_MS,
        toMs: hour + 2 * DAY_MS + 1,
        reason: 'x',
      });
      const day = await completenessOfDay(one, hour + 2 * DAY_MS - 6 * HOUR_MS, hour + 5 * DAY_MS);
      expect(day).toMatchObject({
        hours_present: 1,
        hours_expected: 24,
        rows: 6,
        aircraft: 2,
        by_source: { roof: 6 },
        vs_7day_median: 2,
        gaps: [{ source: 'roof', reason: 'x' }],
        truncated: {},
      });
    });

    test('the figures of a day mark the hours of a file that breaks off', async () => {
      const hour = HOUR + 112 * DAY_MS;
      for (const at of [hour, hour + HOUR_MS]) await apply([{ timeMs: at, address: '4B1800' }]);
      for (const at of [hour, hour + HOUR_MS]) await publishHour(one, RULES, at, at + HOUR_MS);
      await one.database.execute('UPDATE telemetry_batches SET truncated = $1 WHERE first_ms = $2', [
        '122 of 256 folders',
        hour + HOUR_MS,
      ]);
      const { truncated } = await completenessOfDay(one, hour - 6 * HOUR_MS);
      expect(truncated).toEqual({ [isoHour(hour + HOUR_MS)]: '122 of 256 folders' });
    });

    test('the figures of a day name sources and codes in one order', async () => {
      const hour = HOUR + 115 * DAY_MS;
      await apply([{ timeMs: hour, address: '4B1800' }]);
      await publishHour(one, RULES, hour, hour + HOUR_MS);
      await one.database.execute('UPDATE telemetry_hours SET sources = $1, refused = $2 WHERE hour_ms = $3', [
        JSON.stringify({ west: 1, east: 2 }),
        JSON.stringify({ west: { thinned: 1, duplicate: 2 }, east: { conflicting_duplicate: 3 } }),
        hour,
      ]);
      const { by_source, refused } = await completenessOfDay(one, hour - 6 * HOUR_MS);
      expect(JSON.stringify({ by_source, refused })).toBe(
        '{"by_source":{"east":2,"west":1},"refused":{"conflicting_duplicate":3,"duplicate":2,"thinned":1}}',
      );
    });

    test('objects that killed work left behind are removed once they are old', async () => {
      const hour = HOUR + 120 * DAY_MS;
      await apply([{ timeMs: hour, address: '4B1800' }], { nowMs: Date.now() });
      await publishHour(one, RULES, hour, Date.now());
      const orphans = [
        `telemetry-wal/date=2026-05-01/hour=06/dead-0-0.rows.parquet`,
        `telemetry-quarantine/dead.ndjson.gz`,
        generationKeys(hour, 77).served,
      ];
      for (const key of orphans) await one.store.put(key, Buffer.from('x'));
      const before = await keysOf('telemetry');
      expect(await removeOrphans(one, Date.now())).toBe(0);
      expect(await removeOrphans(one, Date.now() + 25 * HOUR_MS)).toBe(3);
      expect(await keysOf('telemetry')).toEqual(before.filter((key) => !orphans.includes(key)));
    });
  });
}
