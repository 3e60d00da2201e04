/** Places on skill curves. */
export interface SkillScale {
  readonly left: number;
  readonly right: number;
  readonly maxPenalty: number;
  x(penalty: number): number;
  y(hitRate: number): number;
}

/** Forecasts that affect more flying than this widen the axis [%]. */
const USUAL_PENALTY = 28;
const [LEFT, RIGHT, TOP, BOTTOM] = [38, 8, 6, 38];

export function skillScale(width: number, height: number, penalties: readonly number[] = []): SkillScale {
  const maxPenalty = Math.min(100, Math.max(USUAL_PENALTY, 4 * Math.ceil(Math.max(0, ...penalties) / 4)));
  return {
    left: LEFT,
    right: width - RIGHT,
    maxPenalty,
    x: (penalty) => LEFT + (penalty / maxPenalty) * (width - LEFT - RIGHT),
    y: (hitRate) => height - BOTTOM - (hitRate / 100) * (height - BOTTOM - TOP),
  };
}
