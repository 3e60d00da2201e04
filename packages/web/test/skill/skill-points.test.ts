import { expect, test } from 'vitest';
import { skillScale } from '../../src/chart/skill-scale.ts';
import { curveOf, publishedPoints, rateText, type ScoreRow } from '../../src/skill/skill-points.ts';

const row = (horizontal_buffer: number, more: Partial<ScoreRow> = {}) =>
  ({
    ...{ region: 'global', season: 'annual', forecast: 'ifs', horizontal_buffer },
    ...{ penalty: 0.1, penalty_lo: 0.08, penalty_hi: 0.12 },
    ...{ iagos_hit_rate: 0.5, iagos_hit_rate_lo: null, iagos_hit_rate_hi: null, gruan_hit_rate: null },
    ...more,
  }) as ScoreRow;

test('a curve has a dot for each buffer that has both figures, in per cent', () => {
  const rows = [row(0), row(1, { iagos_hit_rate: null }), row(2, { penalty: 0.3 })];
  expect(curveOf(rows, 'iagos_hit_rate')).toEqual([
    { buffer: 0, penalty: 10, hitRate: 50, penaltyEnds: [8, 12], hitRateEnds: undefined },
    { buffer: 2, penalty: 30, hitRate: 50, penaltyEnds: [8, 12], hitRateEnds: undefined },
  ]);
  expect(curveOf(rows, 'gruan_hit_rate')).toEqual([]);
});

test('published points are those of the operator for a region and season, else those of the benchmark for the globe', () => {
  const given = { ...row(3, { iagos_hit_rate: 0.8 }), gruan_hit_rate: 0.7, probability_threshold: null };
  const other = { ...given, region: 'conus' };
  expect(publishedPoints({ published: [given, other] }, 'global', 'annual')).toEqual([
    { name: 'ifs', setting: '3', penalty: 10, hitRate: 80 },
    { name: 'ifs', setting: '3', penalty: 10, hitRate: 70 },
  ]);
  const [first] = publishedPoints({ published: [] }, 'global', 'annual');
  expect(first).toEqual({ name: 'contrails.org', setting: '0', penalty: 7, hitRate: 57 });
  expect(publishedPoints({ published: [] }, 'conus', 'annual')).toEqual([]);
});

test('rates are in per cent with their interval', () => {
  expect(rateText(0.123, 0.1, 0.15)).toBe('12.3 % (10.0–15.0)');
  expect(rateText(1, null, null)).toBe('100.0 %');
  expect(rateText(null, null, null)).toBe('–');
});

test('the axis of flying is that of the benchmark, and wider where a forecast needs it', () => {
  expect(skillScale(300, 200).maxPenalty).toBe(28);
  expect(skillScale(300, 200, [12, 41]).maxPenalty).toBe(44);
  expect(skillScale(300, 200, [100]).maxPenalty).toBe(100);
});
