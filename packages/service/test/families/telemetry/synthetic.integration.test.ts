import { setTimeout as pause } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, hourOf, isoHour } from '@contrails/runtime';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { makeTraffic } from '../../../src/families/telemetry/feeds/synthetic.ts';
import { buildDueHours, explainAirframe } from '../../../src/families/telemetry/index.ts';
import { openDatabase } from '../../../src/migrations.ts';
import { telemetryRules, telemetrySection } from '../../../src/telemetry-store/config.ts';
import { syncSources } from '../../../src/telemetry-store/sources.ts';
import { openInstallation, readHour } from './support/installation.ts';

test('synthetic traffic becomes hours, and the story of an airframe is told from them', async () => {
  const settings = parse({
    sources: [{ name: 'made-up', kind: 'synthetic', legs_per_day: 60, backfill: '4h' }],
    seal_after: '1min',
  });
  const rules = telemetryRules(settings);
  const [feed] = rules.feeds;
  if (feed === undefined) throw new Error('no feed');
  const installation = await openInstallation();
  try {
    await syncSources(installation.database, rules.feeds, Date.now());
    const { signal } = new AbortController();
    await makeTraffic(installation, rules, feed, signal);
    const [before] = await installation.database.query('SELECT COUNT(*) AS n FROM telemetry_batches');
    await makeTraffic(installation, rules, feed, signal);
    const [after] = await installation.database.query('SELECT COUNT(*) AS n FROM telemetry_batches');
    expect(after).toEqual(before);

    await buildDueHours(installation, rules);
    const lastHour = hourOf(Date.now()) - 2 * HOUR_MS;
    const rows = await readHour(installation, lastHour);
    expect(rows.length).toBeGreaterThan(100);
    const dayMs = Math.floor(lastHour / DAY_MS) * DAY_MS;
    const story = await explainAirframe(installation, {
      address: String(rows[0]?.icao_address),
      dayMs,
      memoryMiB: 256,
    });
    expect(story.hours.published).toContain(isoHour(lastHour));
    expect(story.reports.published).toBeGreaterThan(0);
    expect(story.reports.received).toBeGreaterThanOrEqual(story.reports.published);
    expect(story.legs.length).toBeGreaterThan(0);
    const legReports = story.legs.reduce((sum, { reportCount }) => sum + reportCount, 0);
    expect(legReports).toBeGreaterThanOrEqual(story.reports.published);
  } finally {
    await installation.close();
  }
});

test('the last hours come first, and a process that was stopped leaves no hour out', async () => {
  const rules = telemetryRules(
    parse({ sources: [{ name: 'made-up', kind: 'synthetic', legs_per_day: 60, backfill: '9h' }] }),
  );
  const [feed] = rules.feeds;
  if (feed === undefined) throw new Error('no feed');
  const installation = await openInstallation();
  const { directory, store } = installation;
  let { database } = installation;
  const hours = async () => {
    const rows = await database.query<{ first_ms: number }>(
      'SELECT first_ms FROM telemetry_batches WHERE first_ms IS NOT NULL ORDER BY applied_ms, first_ms',
    );
    return [...new Set(rows.map(({ first_ms }) => hourOf(first_ms)))];
  };
  try {
    await syncSources(database, rules.feeds, Date.now());
    const stopping = new AbortController();
    const nowMs = Date.now();
    const first = makeTraffic({ database, store }, rules, feed, stopping.signal);
    while (!(await hours()).includes(hourOf(nowMs) - 6 * HOUR_MS)) await pause(20);
    stopping.abort();
    await first;
    const before = await hours();
    expect(before[0]).toBe(hourOf(nowMs - 4 * HOUR_MS));
    expect(before).not.toContain(hourOf(nowMs) - 9 * HOUR_MS);
    // Another process knows only what is in the database.
    await database.close();
    database = await openDatabase({ database: 'embedded', directory });
    await makeTraffic({ database, store }, rules, feed, new AbortController().signal);
    const all = Array.from({ length: 9 }, (_, k) => hourOf(nowMs) - (9 - k) * HOUR_MS);
    expect((await hours()).toSorted((a, b) => a - b)).toEqual(expect.arrayContaining(all));
  } finally {
    await store.close();
    await database.close();
  }
}, 60_000);

test('an airframe that was never heard has a story without legs', async () => {
  const installation = await openInstallation();
  try {
    const story = await explainAirframe(installation, {
      address: '40095D',
      dayMs: Date.parse('2026-01-01'),
      memoryMiB: 256,
    });
    expect(story.legs).toEqual([]);
    expect(story.hours.missing).toHaveLength(24);
    expect(story.reports).toEqual({
      received: null,
      repeated: null,
      published: 0,
      onGround: 0,
      bySource: {},
    });
    expect(story.refused).toEqual([]);
  } finally {
    await installation.close();
  }
});

test.each([
  [{ name: 'a', kind: 'synthetic', url: 'http://receiver/' }, /sources\[0\]\.url is set/],
  [{ name: 'a', kind: 'poll', url: 'http://receiver/', legs_per_day: 50 }, /legs_per_day is set/],
  [{ name: 'a', kind: 'folder' }, /path is missing/],
])('a source with settings of another kind is refused: %j', (source, message) => {
  const settings = parse({ sources: [source] });
  expect(() => telemetryRules(settings)).toThrow(message);
});

function parse(settings: object) {
  return Value.Parse(telemetrySection, Value.Default(telemetrySection, settings));
}
