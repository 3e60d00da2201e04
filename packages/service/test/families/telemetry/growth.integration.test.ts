import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { readFolder } from '../../../src/families/telemetry/feeds/folder.ts';
import {
  closeHours,
  forgetBatches,
  forgetCounts,
  forgetQuarantine,
  removeHours,
} from '../../../src/families/telemetry/hours/maintenance.ts';
import { publishHour } from '../../../src/families/telemetry/hours/publish.ts';
import { applyBatch } from '../../../src/families/telemetry/ingest/batch.ts';
import { addGap } from '../../../src/telemetry-store/sources.ts';
import { APPLY, defaultRules, openInstallation } from './support/installation.ts';
import { HOUR, headerOf, type Report, readerOf } from './support/reports.ts';

const KEPT_DAYS = 60;
const RULES = defaultRules({ keepMs: KEPT_DAYS * DAY_MS });
const installation = await openInstallation();
const { database } = installation;
afterAll(() => installation.close());

const TABLES = [
  'batches',
  'wal',
  'refused',
  'quarantine',
  'airframe_refusals',
  'sources',
  'gaps',
  'files',
] as const;

async function countRows(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const [row] = await database.query<{ n: number }>(`SELECT COUNT(*) AS n FROM telemetry_${table}`);
    counts[table] = Number(row?.n);
  }
  return counts;
}

const EVERY_DAYS = 14;
const timeOf = (step: number) => HOUR + step * EVERY_DAYS * DAY_MS;
const reportsOf = (step: number): Report[] => [{ timeMs: timeOf(step), address: '4B1800' }];

/** A client posts under its own name, something of it is refused, and a feed has a gap. */
async function post(step: number) {
  const reports = reportsOf(step);
  const nowMs = timeOf(step) + HOUR_MS;
  const header = headerOf(reports, `client-${step}`, nowMs);
  const receipt = await applyBatch(
    installation,
    header,
    async (sink) => {
      await readerOf(reports)(sink);
      await sink.refused([{ record: 1, code: 'parse_error', raw: '?', address: '4B1800', timeMs: nowMs }]);
      return reports.length + 1;
    },
    APPLY,
  );
  await addGap(database, { source: 'roof', fromMs: nowMs, toMs: nowMs + HOUR_MS, reason: 'stopped' });
  await publishHour(installation, RULES, timeOf(step), nowMs);
  return receipt;
}

async function maintain(nowMs: number): Promise<void> {
  await closeHours(installation, RULES, nowMs);
  await removeHours(installation, RULES, nowMs);
  await forgetQuarantine(installation, RULES, nowMs);
  await forgetBatches(installation, RULES, nowMs);
  await forgetCounts(installation, RULES, nowMs);
}

test('tables of telemetry do not grow from the half of a year to its end', async () => {
  const steps = 26;
  let half: Record<string, number> = {};
  for (let step = 0; step < steps; step++) {
    await post(step);
    await maintain(timeOf(step + 1));
    if (step === steps / 2) half = await countRows();
  }
  expect(half.batches).toBeGreaterThan(0);
  expect(half.refused).toBeGreaterThan(0);
  expect(await countRows()).toEqual(half);
});

test('a batch that is sent again is acknowledged as long as it is known, and changes nothing afterwards', async () => {
  const step = 60;
  await post(step);
  const last = timeOf(step) + RULES.closeAfterMs + 2 * HOUR_MS;
  await maintain(last);
  expect(await post(step)).toMatchObject({ duplicate: true, accepted: 1 });
  const laterMs = timeOf(step) + RULES.quarantineMs + DAY_MS;
  await maintain(laterMs);
  const reports = reportsOf(step);
  const header = headerOf(reports, `client-${step}`, laterMs);
  const again = await applyBatch(installation, header, readerOf(reports), APPLY);
  expect(again).toMatchObject({ duplicate: false, accepted: 0, refused: { late: 1 } });
});

test('files that are gone from a folder are forgotten some time after they were read', async () => {
  const path = await temporaryDirectory();
  const nowMs = Date.now();
  for (const [name, readMs] of [
    ['old.csv', nowMs - RULES.quarantineMs - DAY_MS],
    ['new.csv', nowMs - DAY_MS],
  ] as const) {
    await database.execute(
      `INSERT INTO telemetry_files (source, path, signature, read_ms) VALUES ('box', $1, '', $2)`,
      [name, readMs],
    );
  }
  const feed = {
    name: 'box',
    kind: 'folder',
    format: undefined,
    path,
    url: '',
    legsPerDay: 0,
    backfillMs: 0,
    intervalMs: 0,
    latenessMs: 0,
    stalledAfterMs: 0,
    isEnabled: true,
    isStrict: false,
  } as const;
  await readFolder(installation, RULES, feed, new AbortController().signal);
  expect(await database.query('SELECT path FROM telemetry_files')).toEqual([{ path: 'new.csv' }]);
});
