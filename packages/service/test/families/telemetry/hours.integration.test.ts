import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { sqlText } from '@contrails/formats';
import { withWorkspace } from '@contrails/platform/workspace';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { times } from '../../../../../test/support/effort.ts';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { buildHour, writeServed } from '../../../src/families/telemetry/hours/build.ts';
import { dueHours } from '../../../src/families/telemetry/hours/plan.ts';
import { publishHour } from '../../../src/families/telemetry/hours/publish.ts';
import { applyBatch } from '../../../src/families/telemetry/ingest/batch.ts';
import { readManifest } from '../../../src/telemetry-store/manifest.ts';
import { findHour } from '../../../src/telemetry-store/table.ts';
import {
  APPLY,
  defaultRules,
  type Installation,
  openInstallation,
  readHour,
  withDuckDb,
} from './support/installation.ts';
import { HOUR, headerOf, type Report, readerOf } from './support/reports.ts';

const RULES = defaultRules();
const SEALED_MS = HOUR + 4 * 3_600_000;

async function applyReports(
  to: Installation,
  reports: readonly Report[],
  source = 'roof',
  ground: readonly Report[] = [],
) {
  return applyBatch(to, headerOf([...reports, ...ground], source), readerOf(reports, ground), APPLY);
}

async function withInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
  const installation = await openInstallation();
  try {
    return await work(installation);
  } finally {
    await installation.close();
  }
}

async function bytesOf({ store }: Installation) {
  const current = await readManifest(store, HOUR);
  if (current === undefined) throw new Error('not published');
  const { served, by_aircraft, ground } = current.manifest;
  return Promise.all(
    [served, by_aircraft, ground].map(async ({ key }) => {
      const opened = await store.read(key);
      return opened && (await buffer(opened.body)).toString('base64');
    }),
  );
}

/** Few aircraft and times, so keys collide in every way. */
const report: fc.Arbitrary<Report> = fc.record({
  timeMs: fc.integer({ min: 0, max: 300 }).map((step) => HOUR + step * 7_000),
  address: fc.constantFrom('4B1800', '40095D', 'A1B2C3'),
  latitude: fc.constantFrom(47, 48.5),
  altitude: fc.constantFrom(35_000, 36_000),
  nic: fc.constantFrom(0, 7, 8, Number.NaN),
  ageS: fc.constantFrom(0.5, 1),
  positionSource: fc.constantFrom(0, 3, 5),
  legFlag: fc.constantFrom(0, 0, 0, 1),
});

describe('an hour', () => {
  test('has the same bytes whatever the order, the batches and the repetitions of its reports', async () => {
    const arrivals = fc
      .array(report, { minLength: 1, maxLength: 60 })
      .chain((reports) =>
        fc.tuple(
          fc.constant(reports),
          fc.shuffledSubarray(reports, { minLength: reports.length }),
          fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(arrivals, async ([reports, shuffled, sizes]) => {
        const once = await withInstallation(async (installation) => {
          await applyReports(installation, reports, 'roof', reports.slice(0, 3));
          await publishHour(installation, RULES, HOUR, SEALED_MS);
          return bytesOf(installation);
        });
        const inPieces = await withInstallation(async (installation) => {
          let from = 0;
          for (let turn = 0; from < shuffled.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            const piece = shuffled.slice(from, from + size);
            await applyReports(installation, piece);
            if (turn % 2 === 0) await applyReports(installation, piece);
            from += size;
          }
          await applyReports(installation, shuffled.slice(0, 5), 'roof', reports.slice(0, 3));
          await publishHour(installation, RULES, HOUR, SEALED_MS);
          return bytesOf(installation);
        });
        expect(inPieces).toEqual(once);
      }),
      { numRuns: times(3) },
    );
  });

  test('counts every report as a row or under one code', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(report, { maxLength: 80 }),
        fc.array(report, { maxLength: 40 }),
        (one, other) =>
          withInstallation(async (installation) => {
            await applyReports(installation, one, 'one');
            await applyReports(installation, other, 'other');
            if (one.length + other.length === 0) return;
            await publishHour(installation, RULES, HOUR, SEALED_MS);
            const hour = await findHour(installation.database, HOUR);
            const refused = Object.values(hour?.refused ?? {}).flatMap((codes) => Object.values(codes));
            const sum = refused.reduce((total, n) => total + n, hour?.rows ?? 0);
            expect(sum).toBe(one.length + other.length);
            expect(hour?.pending).toBe(0);
          }),
      ),
      { numRuns: times(3) },
    );
  });

  test('keeps the mark of a new leg on its last report where thinning drops the one that has it', async () => {
    await withInstallation(async (installation) => {
      const end = HOUR + 3_600_000;
      await applyReports(installation, [
        { timeMs: end - 60_000, address: '4B1800' },
        { timeMs: end - 30_000, address: '4B1800' },
        { timeMs: end - 10_000, address: '4B1800', legFlag: 1 },
      ]);
      await publishHour(installation, RULES, HOUR, SEALED_MS);
      expect(await readHour(installation, HOUR, 'by_aircraft', 'leg_flag')).toEqual([
        { leg_flag: 0 },
        { leg_flag: 1 },
      ]);
    });
  });

  test('keeps the first report of each 30 s of an aircraft and the better of two with the same time', async () => {
    await withInstallation(async (installation) => {
      await applyReports(installation, [
        { timeMs: HOUR + 1_000, address: '4B1800', callsign: 'OLD', ageS: 3 },
        { timeMs: HOUR + 1_000, address: '4B1800', callsign: 'NEW', ageS: 1 },
        { timeMs: HOUR + 29_999, address: '4B1800', legFlag: 1 },
        { timeMs: HOUR + 30_000, address: '4B1800' },
        { timeMs: HOUR + 20_000, address: '40095D' },
      ]);
      await publishHour(installation, RULES, HOUR, SEALED_MS);
      const served = await readHour(
        installation,
        HOUR,
        'served',
        'epoch_ms("timestamp") AS t, icao_address, callsign',
      );
      expect(
        served.map(({ t, icao_address, callsign }) => [Number(t) - HOUR, icao_address, callsign]),
      ).toEqual([
        [1_000, '4B1800', 'NEW'],
        [20_000, '40095D', null],
        [30_000, '4B1800', null],
      ]);
      const copy = await readHour(installation, HOUR, 'by_aircraft', 'icao_address, leg_flag');
      // The mark of the report that was dropped goes to the next.
      expect(copy).toEqual([
        { icao_address: '40095D', leg_flag: 0 },
        { icao_address: '4B1800', leg_flag: 0 },
        { icao_address: '4B1800', leg_flag: 1 },
      ]);
      expect((await findHour(installation.database, HOUR))?.refused).toEqual({
        roof: { conflicting_duplicate: 1, thinned: 1 },
      });
    });
  });

  test('is revised when late reports change it, and stays as it is when they do not', async () => {
    await withInstallation(async (installation) => {
      const first = { timeMs: HOUR, address: '4B1800' };
      await applyReports(installation, [first]);
      expect((await publishHour(installation, RULES, HOUR, SEALED_MS)).isNew).toBe(true);
      const before = await readManifest(installation.store, HOUR);
      await applyReports(installation, [first, first], 'other batch of the same');
      await applyReports(installation, [first, first]);
      const again = await publishHour(installation, RULES, HOUR, SEALED_MS + 1);
      // Another source has heard it too, which only the work copy shows.
      expect(again).toMatchObject({ isNew: true, rows: 1, generation: 2 });
      expect((await readManifest(installation.store, HOUR))?.manifest).toMatchObject({
        state: 'revised',
        content_sha256: before?.manifest.content_sha256,
        generations: [2, 1],
      });
      await applyReports(installation, [first, first, first]);
      expect(await publishHour(installation, RULES, HOUR, SEALED_MS + 2)).toMatchObject({
        isNew: false,
        generation: 2,
      });
    });
  });

  test('without reports is an empty file once it is sealed', async () => {
    await withInstallation(async (installation) => {
      await applyReports(installation, [{ timeMs: HOUR, address: '4B1800' }]);
      const due = await dueHours(installation.database, RULES, HOUR + 30 * 3_600_000);
      expect(due.map(({ hourMs }) => hourMs)).toHaveLength(24);
      const empty = due.find(({ hourMs }) => hourMs === HOUR + 3_600_000)?.hourMs ?? 0;
      await publishHour(installation, RULES, empty, SEALED_MS);
      expect((await readManifest(installation.store, empty))?.manifest).toMatchObject({
        state: 'sealed',
        rows: 0,
        sources: {},
        first: null,
      });
      expect(await readHour(installation, empty)).toEqual([]);
    });
  });

  test('has the same bytes whatever the memory that its reports are sorted in', async () => {
    const path = join(await temporaryDirectory(), 'table.parquet');
    // Two row groups, every hundredth report twice; each has its own texts, which need memory too.
    await withDuckDb((duckdb) =>
      duckdb.run(`COPY (
        SELECT make_timestamp(${HOUR * 1000} + (k * 7919 % 3600000) * 1000) AS "timestamp", k / 4000.0 AS latitude,
          8.0 AS longitude, 'terrestrial' AS collection_type, 30000::BIGINT AS altitude_baro,
          printf('%06X', 4000000 + k % 97) AS icao_address, 'C' || (i % 70000) AS callsign,
          CASE WHEN k % 3 = 0 THEN 'a registration of ' || k % 7 END AS tail_number
        FROM (SELECT i, i - i % 100 // 99 AS k FROM range(135000) AS t(i)))
        TO ${sqlText(path)} (FORMAT parquet)`),
    );
    const build = (memoryBytes: number) =>
      withWorkspace({ memoryMiB: 128 }, async (workspace) => {
        const input = {
          hourMs: HOUR,
          rows: [],
          ground: [],
          tables: [{ path, source: 'table' }],
          base: undefined,
          thinS: 0,
          compression: 'zstd' as const,
          memoryBytes,
        };
        const built = await buildHour(workspace, input);
        const served = await writeServed(workspace, input, built, { generation: 1, sealedMs: SEALED_MS });
        const files = [served.path, built.byAircraft, built.conflicts?.path ?? ''];
        const bytes = await Promise.all(files.map(async (file) => (await readFile(file)).toString('base64')));
        return { isHeld: built.held !== undefined, summary: built.summary, bytes };
      });
    const { isHeld, ...whole } = await build(2 ** 30);
    expect(isHeld).toBe(true);
    expect(whole.summary.refused).toEqual({ table: { conflicting_duplicate: 1350 } });
    expect(whole.summary.rows).toBe(133_650);
    // Three parts, which are halved because of their texts.
    const { isHeld: isOnePart, ...divided } = await build(9_000_000);
    expect(isOnePart).toBe(false);
    expect(divided.summary).toEqual(whole.summary);
    expect(divided.bytes.map((bytes, k) => bytes === whole.bytes[k])).toEqual([true, true, true]);
  });
});
