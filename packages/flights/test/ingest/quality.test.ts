import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QUALITY_MARKS, qualityOf } from '../../src/index.ts';

interface Row {
  readonly t: number;
  readonly nic?: number;
  readonly nacp?: number;
  readonly baro?: number;
  readonly gnss?: number;
}

function marksOf(rows: readonly Row[]): number[] {
  const column = (pick: (row: Row) => number | undefined) => rows.map((row) => pick(row) ?? Number.NaN);
  return [
    ...qualityOf({
      timestamp: column(({ t }) => t * 1000),
      altitude_baro: column(({ baro }) => baro),
      altitude_gnss: column(({ gnss }) => gnss),
      nic: column(({ nic }) => nic),
      nacp: column(({ nacp }) => nacp),
    }),
  ];
}

describe('marks of single reports', () => {
  test.each([
    [{ nic: 8, nacp: 9 }, 0],
    [{}, 0],
    [{ nic: 1 }, QUALITY_MARKS.nic_low],
    [{ nic: 4 }, QUALITY_MARKS.nic_low],
    [{ nic: 5 }, 0],
    [{ nacp: 4, nic: 8 }, QUALITY_MARKS.nacp_low],
    [{ nic: 0, nacp: 9 }, QUALITY_MARKS.unknown_quality],
    [{ nic: 0, nacp: 0 }, QUALITY_MARKS.unknown_quality],
    [{ nic: 2, nacp: 0 }, QUALITY_MARKS.nic_low | QUALITY_MARKS.unknown_quality],
  ])('%o', (row, mark) => {
    expect(marksOf([{ t: 0, ...row }])).toEqual([mark]);
  });
});

test('a fall of nacp from 8 to 4 within five minutes is interference', () => {
  const { gnss_drop, nacp_low } = QUALITY_MARKS;
  const rows = [
    { t: 0, nacp: 8 },
    { t: 100 },
    { t: 300, nacp: 4 },
    { t: 301, nacp: 4 },
    { t: 302, nacp: 5 },
    { t: 400, nacp: 7 },
  ];
  expect(marksOf(rows)).toEqual([0, 0, gnss_drop | nacp_low, nacp_low, 0, 0]);
});

test('a jump of the difference of altitudes within a minute is marked, a slow change is not', () => {
  const level = { baro: 35_000, nic: 8 };
  expect(
    marksOf([
      { t: 0, ...level, gnss: 36_000 },
      { t: 60, ...level, gnss: 38_001 },
      { t: 120, ...level, gnss: 36_002 },
      { t: 121, baro: 35_000, nic: 8 },
      { t: 300, ...level, gnss: 33_000 },
      { t: 330, ...level, gnss: 37_001 },
    ]),
  ).toEqual([0, QUALITY_MARKS.alt_gap, 0, 0, 0, 0]);
});

test('the marks agree with the rule written down directly', () => {
  const row = fc.record({
    step: fc.integer({ min: 0, max: 50 }),
    nacp: fc.constantFrom(Number.NaN, 0, 3, 5, 9),
    gnss: fc.constantFrom(Number.NaN, 30_000, 31_500, 33_000, 35_000),
  });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), (steps) => {
      let t = 0;
      const rows = steps.map(({ step, nacp, gnss }) => {
        t += step;
        return { t, nacp, gnss, baro: 30_000 };
      });
      const expected = rows.map((now, i) => {
        const before = rows.slice(0, i);
        const hasDropped = now.nacp <= 4 && before.some((then) => then.nacp >= 8 && now.t - then.t <= 300);
        const hasGap = before.some(
          (then) =>
            now.t - then.t <= 60 &&
            Math.abs(Math.abs(now.gnss - now.baro) - Math.abs(then.gnss - then.baro)) > 2_000,
        );
        return (hasDropped ? QUALITY_MARKS.gnss_drop : 0) | (hasGap ? QUALITY_MARKS.alt_gap : 0);
      });
      const mask = QUALITY_MARKS.gnss_drop | QUALITY_MARKS.alt_gap;
      expect(marksOf(rows).map((mark) => mark & mask)).toEqual(expected);
    }),
  );
});
