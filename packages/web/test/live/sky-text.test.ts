import { expect, test } from 'vitest';
import { ageText, aheadText, catchUpText, powerText, skyProblems, skyText } from '../../src/live/sky-text.ts';
import { DEFAULT_METRIC } from '../../src/shell/metric.ts';
import { flight, NOW_MS, summary } from './support/features.ts';

test('the sky is described in plain words', () => {
  expect(skyText(summary(), DEFAULT_METRIC)).toMatch(
    /^214 aircraft in the air, 31 leave contrails that last\. 5,200 km of contrails warm with 3\.2 GW now; in the last hour as much as [\d.]+ (k?g|t) of CO₂ \(GWP100\)\.$/,
  );
  expect(skyText(summary({ forming_persistent: 1 }), DEFAULT_METRIC)).toContain(
    '1 leaves a contrail that lasts',
  );
  const cooling = summary({ net_forcing_w: -2e9, energy_forcing_last_hour_j: -1e13 });
  expect(skyText(cooling, DEFAULT_METRIC)).toMatch(/cool with 2 GW now; in the last hour they offset /);
  const empty = summary({ airborne: 0, living_contrail_km: 0 });
  expect(skyText(empty, DEFAULT_METRIC)).toBe('Nothing is in the sky.');
});

test('without weather nothing is said of contrails', () => {
  expect(skyText(summary({ weather: null }), DEFAULT_METRIC)).toMatch(/Nothing is known of their contrails/);
  expect(skyProblems(summary({ weather: null }), NOW_MS)[0]).toMatch(/^No weather covers now/);
});

test('a sky in order has no problems', () => {
  expect(skyProblems(summary(), NOW_MS + 60_000)).toEqual([]);
});

test('a feed that stopped is named, as is one that never sent anything', () => {
  const feeds = [
    { name: 'roof', kind: 'poll', newest_report: '2026-01-15T11:40:00Z', stalled: true },
    { name: 'attic', kind: 'push', newest_report: null, stalled: true },
    { name: 'barn', kind: 'poll', newest_report: '2026-01-15T12:00:00Z', stalled: false },
  ];
  const problems = skyProblems(summary({ feeds }), NOW_MS);
  expect(problems).toHaveLength(2);
  expect(problems[0]).toMatch(/^The feed “roof” is silent: its newest report is of 11:40 UTC/);
  expect(problems[1]).toMatch(/^The feed “attic” has sent no report yet/);
});

test('contrails that are behind and aircraft that are left out are reported', () => {
  const problems = skyProblems(summary({ evicted_aircraft: 7 }), NOW_MS + 600_000);
  expect(problems[0]).toMatch(/^Contrails were computed 10 min ago/);
  expect(problems[1]).toMatch(/^7 aircraft are left out/);
});

test('what is ahead of a flight is said for every case', () => {
  const text = (facts: Parameters<typeof flight>[1]) => aheadText(flight('A1', facts).properties);
  const ahead = (
    persistent_km: number,
    first_persistent_min: number | null,
    energy_forcing_j: number | null = 1e12,
  ) => ({
    ahead: { energy_forcing_j, persistent_km, first_persistent_min },
  });
  expect(text(ahead(120, 4))).toMatch(/^120 km of contrails that last .* beginning in 4 min\.$/);
  expect(text(ahead(120, 0))).toMatch(/beginning now\.$/);
  expect(text(ahead(0, null))).toMatch(/^No contrail that lasts/);
  expect(text(ahead(0, null, null))).toMatch(/weather does not reach/);
  expect(text({ ahead: null, vertical_rate_fpm: -1200 })).toMatch(/climbs or descends/);
  expect(text({ ahead: null, state: 'stale' })).toMatch(/no longer heard/);
  expect(text({ ahead: null, state: 'ground' })).toMatch(/^On the ground/);
});

test('ages and powers are read at a glance', () => {
  expect([2_400, 89_000, 1_200_000, 9_000_000].map(ageText)).toEqual(['2 s', '89 s', '20 min', '2.5 h']);
  expect([950, 3.24e9, 1.5e12].map(powerText)).toEqual(['950 W', '3.2 GW', '1.5 TW']);
});

test('an empty sky says what it waits for, and how long', () => {
  const feed = { name: 'synthetic', newestMs: Date.parse('2026-01-14T08:00:00Z') };
  expect(catchUpText({ ...feed, leftMs: 70_000 })).toBe(
    'The feed “synthetic” begins in the past and is at 14 Jan 2026, 08:00 UTC. Aircraft appear when it has come up to now, in about 70 s.',
  );
  expect(catchUpText({ ...feed, leftMs: undefined })).toMatch(/come up to now\.$/);
  expect(skyProblems(summary({ aircraft: 0, weather: null }), NOW_MS)).toEqual([]);
});
