/** Sine, cosine and arcs of angles [rad] that are nearly always small, as between neighbours: a series, the function beyond. */

const SMALL_RAD = 0.05;
const SMALL_HAVERSINE = 1e-3;

/** sin x. */
export function sineOfSmall(x: number): number {
  if (!(Math.abs(x) < SMALL_RAD)) return Math.sin(x);
  const s = x * x;
  return x * (1 - s * (1 / 6 - s * (1 / 120 - s * (1 / 5040))));
}

/** cos x. */
export function cosineOfSmall(x: number): number {
  if (!(Math.abs(x) < SMALL_RAD)) return Math.cos(x);
  const s = x * x;
  return 1 - s * (1 / 2 - s * (1 / 24 - s * (1 / 720 - s * (1 / 40320))));
}

/** The angle whose haversine, sin²(x/2), is given between 0 and 1. */
export function angleOfHaversine(haversine: number): number {
  const h = haversine;
  if (!(h < SMALL_HAVERSINE)) return 2 * Math.atan2(Math.sqrt(h), Math.sqrt(1 - h));
  return 2 * Math.sqrt(h) * (1 + h * (1 / 6 + h * (3 / 40 + h * (5 / 112 + h * (35 / 1152)))));
}
