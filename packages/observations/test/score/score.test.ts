import { describe, expect, test } from 'vitest';
import {
  type FoundSegment,
  instanceScores,
  type Pixel,
  pixelScores,
  poolCounts,
  type SegmentVerdict,
  scoreAttributions,
  scoreFrame,
  type TruthLine,
} from '../../src/score/index.ts';

describe('scores', () => {
  const line = (row: number, observable = true, flight = 'XA'): TruthLine => ({
    pixels: [
      [0, row],
      [50, row],
      [100, row],
    ],
    flight,
    observable,
  });
  const segment = (id: string, a: Pixel, b: Pixel): FoundSegment => ({ id, ends: [a, b] });

  test('count matched, ignored and false segments, and lines that were hit', () => {
    const { counts, verdicts } = scoreFrame(
      [
        segment('on', [0, 11], [60, 11]),
        segment('unseen', [0, 51], [60, 51]),
        segment('beside', [0, 30], [60, 30]),
        segment('across', [50, 0], [50, 60]),
      ],
      [line(10), line(50, false, 'XB'), line(90)],
    );
    expect(verdicts.map(({ kind }) => kind)).toEqual(['matched', 'ignored', 'false', 'false']);
    expect(verdicts.map(({ flight }) => flight)).toEqual(['XA', 'XB', undefined, undefined]);
    expect(counts).toMatchObject({ predicted: 3, matched: 1, observable: 2, hit: 1 });
    expect(instanceScores(counts)).toMatchObject({ precision: 1 / 3, recall: 1 / 2 });
  });

  test('a line is hit by the segments matched to it, not by any parallel one nearby', () => {
    const long = {
      ...line(10),
      pixels: [
        [0, 10],
        [100, 10],
      ] satisfies Pixel[],
    };
    const short = {
      ...line(13, true, 'XB'),
      pixels: [
        [0, 13],
        [20, 13],
      ] satisfies Pixel[],
    };
    // Within three pixels of the whole short line, which covers a fifth of it.
    const alone = scoreFrame([segment('long', [0, 11], [100, 11])], [long, short]);
    expect(alone.verdicts).toMatchObject([{ kind: 'matched', flight: 'XA' }]);
    expect(alone.counts).toMatchObject({ observable: 2, hit: 1, hitLengthPx: 100 });
    const both = [segment('long', [0, 11], [100, 11]), segment('short', [0, 14], [20, 14])];
    expect(scoreFrame(both, [long, short]).counts).toMatchObject({ hit: 2, hitLengthPx: 120 });
  });

  test('of nothing are null', () => {
    expect(instanceScores(poolCounts([]))).toEqual({
      precision: null,
      recall: null,
      lengthPrecision: null,
      lengthRecall: null,
    });
  });

  test('count an attribution of a false detection as wrong', () => {
    const verdicts: SegmentVerdict[] = [
      { segment: 'a', kind: 'matched', lengthPx: 1, flight: 'XA' },
      { segment: 'b', kind: 'matched', lengthPx: 1, flight: 'XB' },
      { segment: 'c', kind: 'false', lengthPx: 1 },
      { segment: 'd', kind: 'ignored', lengthPx: 1, flight: 'XD' },
    ];
    const assigned = new Map([
      ['a', 'XA'],
      ['b', 'XA'],
      ['c', 'XC'],
    ]);
    expect(scoreAttributions(verdicts, assigned)).toEqual({
      ...{ right: 1, wrong: 1, noContrail: 1, attributable: 3 },
      ...{ precision: 1 / 3, recall: 1 / 3 },
    });
  });

  test('of pixels are average precision over all confidences, and precision, recall and Dice from one half on', () => {
    const stored = Uint8Array.of(250, 200, 125, 60, 0, 255);
    const truth = Uint8Array.of(1, 0, 1, 1, 0, 1);
    const { precision, recall, dice, aucPr } = pixelScores([{ stored, truth }]);
    expect(precision).toBeCloseTo(2 / 3);
    expect(recall).toBeCloseTo(2 / 3);
    expect(dice).toBeCloseTo(2 / 3);
    expect(aucPr).toBeCloseTo((1 + 2 / 3 + 3 / 4) / 3);
  });
});
