/** Confidence of pixels against a mask of contrails. */
import { STORED_PER_UNIT } from '../l1/index.ts';
import { ratio } from './instances.ts';

export interface PixelScores {
  /** Of confidences of at least ½. */
  readonly precision: number | null;
  readonly recall: number | null;
  /** 2 |X ∩ Y| / (|X| + |Y|) */
  readonly dice: number | null;
  /** Average precision: Σ (Rₙ − Rₙ₋₁) Pₙ over all distinct confidences. */
  readonly aucPr: number | null;
}

const STORED_VALUES = STORED_PER_UNIT + 1;
const THRESHOLD = STORED_PER_UNIT / 2;

/** Of images of confidence times 250 (255 where invalid) and the masks of their truth, all together. */
export function pixelScores(
  images: readonly { readonly stored: Uint8Array; readonly truth: Uint8Array }[],
): PixelScores {
  const positive = new Float64Array(STORED_VALUES);
  const negative = new Float64Array(STORED_VALUES);
  for (const { stored, truth } of images) {
    for (let i = 0; i < stored.length; i++) {
      const value = stored[i] as number;
      if (value >= STORED_VALUES) continue;
      const bins = truth[i] === 0 ? negative : positive;
      bins[value] = (bins[value] as number) + 1;
    }
  }
  const all = positive.reduce((sum, count) => sum + count, 0);
  let found = 0;
  let wrong = 0;
  let area = 0;
  let half: PixelScores = { precision: null, recall: null, dice: null, aucPr: null };
  for (let value = STORED_VALUES - 1; value >= 0; value--) {
    found += positive[value] as number;
    wrong += negative[value] as number;
    const precision = ratio(found, found + wrong);
    area += precision === null || all === 0 ? 0 : ((positive[value] as number) / all) * precision;
    if (value === THRESHOLD) {
      half = {
        precision,
        recall: ratio(found, all),
        dice: ratio(2 * found, found + wrong + all),
        aucPr: null,
      };
    }
  }
  return { ...half, aucPr: all === 0 ? null : area };
}
