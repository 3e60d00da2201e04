/** Radiative forcing of a contrail [W m⁻²] (Schumann et al. 2012, J. Appl. Meteor. Climatol. 51, 1391). */
import { quickExp } from '../numerics/quick-exp.ts';
import { effectiveRadiusUm, HABIT_COUNT, type HabitTable, habitRegime, PUBLISHED_HABITS } from './habits.ts';

/** What the forcing of one contrail point depends on. */
export interface ForcingPoint {
  /** Volume-mean radius of the particles [µm]. */
  radiusUm: number;
  temperatureK: number;
  opticalDepth: number;
  /** Optical depth of natural cirrus above. */
  cirrusOpticalDepth: number;
  /** Outgoing longwave, reflected and direct solar radiation [W m⁻²]. */
  olr: number;
  rsr: number;
  sdr: number;
  /** Solar irradiance at the top of the atmosphere at this time of the year [W m⁻²]. */
  solarConstant: number;
}

/** One habit's share of a forcing, before weighting. */
export type HabitForcing = (point: ForcingPoint, habit: number, effectiveRadiusUm: number) => number;

/** Coefficients of the fit, by habit. */
export const HABIT_COEFFICIENTS = {
  kT: [1.93466, 1.95456, 1.95994, 1.95906, 1.94397, 1.95123, 2.30363, 1.94611],
  t0: [152.237, 152.724, 152.923, 152.36, 151.879, 152.318, 165.692, 153.073],
  deltaTau: [0.940846, 0.808397, 0.736222, 0.675591, 0.748757, 0.708515, 0.927592, 0.795527],
  deltaLr: [0.211276, 0.341194, 0.325496, 0.255921, 0.170265, 1.65441, 0.201949, 0],
  deltaLc: [0.159942, 0.0958129, 0.092485, 0.0462023, 0.132925, 0.0870067, 0.0626339, 0.0665289],
  tA: [0.879119, 0.901701, 0.881812, 0.899144, 0.879896, 0.883212, 0.899096, 1.00744],
  aMu: [0.361226, 0.294072, 0.343894, 0.317866, 0.337227, 0.310978, 0.342593, 0.269179],
  bMu: [1.67592, 1.55687, 1.71065, 1.55843, 1.70782, 1.71789, 1.56399, 1.59015],
  cMu: [0.7093, 0.678016, 0.687546, 0.675315, 0.712041, 0.713317, 0.660267, 0.545716],
  deltaSr: [0.149851, 0.025427, 0.0238836, 0.0463724, 0.0478892, 0.0700234, 0.0517942, 0],
  fR: [0.511852, 0.576911, 0.597351, 0.22575, 0.550734, 0.817858, 0.249004, 0],
  gLow: [0.323166, 0.392598, 0.356189, 0.34504, 0.407515, 0.523604, 0.310853, 0.274741],
  gUp: [0.241507, 0.347023, 0.288452, 0.296813, 0.327857, 0.43756, 0.27471, 0.208154],
  deltaSc: [0.157017, 0.143274, 0.167995, 0.148547, 0.173036, 0.162442, 0.171855, 0.213488],
  deltaScAux: [0.229574, 0.197611, 0.245036, 0.204875, 0.248328, 0.254029, 0.244051, 0.302246],
} as const;

export type HabitCoefficient = keyof typeof HABIT_COEFFICIENTS;

/** Longwave forcing of one habit [W m⁻²], not negative. */
function longwaveOfHabit(point: ForcingPoint, habit: number, effectiveRadius: number): number {
  const contrast = point.olr - at('kT', habit) * (point.temperatureK - at('t0', habit));
  const { cirrusOpticalDepth: cirrus } = point;
  const belowCirrus = cirrus === 0 ? 1 : quickExp(-at('deltaLc', habit) * cirrus);
  const emissivity =
    1 -
    quickExp(
      -at('deltaTau', habit) * (1 - quickExp(-at('deltaLr', habit) * effectiveRadius)) * point.opticalDepth,
    );
  return Math.max(contrast * belowCirrus * emissivity, 0);
}

/** Shortwave forcing of one habit [W m⁻²], not positive; 0 at night. */
function shortwaveOfHabit(point: ForcingPoint, habit: number, effectiveRadius: number): number {
  if (!(point.sdr > 0)) return 0;
  const mu = cosineOfZenith(point);
  const slant = mu + 1e-6;
  const tau =
    point.opticalDepth * (1 - at('fR', habit) * (1 - quickExp(-at('deltaSr', habit) * effectiveRadius)));
  const slantTau = tau / slant;
  const albedo =
    (1 - quickExp(-at('gUp', habit) * slantTau)) *
    (at('cMu', habit) +
      at('aMu', habit) * quickExp(-at('gLow', habit) * slantTau) * ((2 * (1 - mu)) ** at('bMu', habit) - 1));
  // The published equation has the two cirrus coefficients the other way round; this is the order that was fitted.
  const { cirrusOpticalDepth: cirrus } = point;
  const belowCirrus =
    cirrus === 0 ? 1 : quickExp(cirrus * (at('deltaScAux', habit) - at('deltaSc', habit) / slant));
  const transmitted = at('tA', habit) - effectiveAlbedo(point);
  return Math.min(-point.sdr * transmitted * transmitted * albedo * belowCirrus, 0);
}

/** Albedo of earth and atmosphere below the contrail, 0 to 1; 0 at night. */
export function effectiveAlbedo(point: ForcingPoint): number {
  if (!(point.sdr > 0)) return 0;
  return Math.min(Math.max(point.rsr / point.sdr, 0), 1);
}

/** Cosine of the solar zenith angle, at most 1. */
export function cosineOfZenith(point: ForcingPoint): number {
  return Math.min(point.sdr / point.solarConstant, 1);
}

/** How the forcing of a habit is computed. */
export interface ForcingModel {
  readonly longwave: HabitForcing;
  readonly shortwave: HabitForcing;
}

export const FORCING_2012: ForcingModel = { longwave: longwaveOfHabit, shortwave: shortwaveOfHabit };

/** Forcing over all habits [W m⁻²]. */
export interface Forcing {
  longwave: number;
  shortwave: number;
}

/** Forcing over all habits of the particles' size regime, in double precision. */
export function weightedForcingInto(
  out: Forcing,
  point: ForcingPoint,
  model: ForcingModel,
  { boundsUm, habits, weights, starts }: HabitTable = PUBLISHED_HABITS,
): void {
  const regime = habitRegime(point.radiusUm, boundsUm);
  const end = starts[regime + 1] as number;
  let longwave = 0;
  let shortwave = 0;
  for (let k = starts[regime] as number; k < end; k++) {
    const habit = habits[k] as number;
    const weight = weights[k] as number;
    const radius = effectiveRadiusUm(habit, point.radiusUm);
    longwave += weight * model.longwave(point, habit, radius);
    shortwave += weight * model.shortwave(point, habit, radius);
  }
  out.longwave = longwave;
  out.shortwave = shortwave;
}

/**
 * The same with the single-precision roundings of the reference implementation: weights, products and a pairwise sum.
 * Net forcing is a small difference near sunrise and sunset, where these roundings show.
 */
export function weightedForcingSingleInto(
  out: Forcing,
  point: ForcingPoint,
  model: ForcingModel,
  { boundsUm, habits, weights, starts }: HabitTable = PUBLISHED_HABITS,
): void {
  const regime = habitRegime(point.radiusUm, boundsUm);
  const end = starts[regime + 1] as number;
  longwaveTerms.fill(0);
  shortwaveTerms.fill(0);
  for (let k = starts[regime] as number; k < end; k++) {
    const habit = habits[k] as number;
    const weight = Math.fround(weights[k] as number);
    const radius = effectiveRadiusUm(habit, point.radiusUm);
    longwaveTerms[habit] = weight * model.longwave(point, habit, radius);
    shortwaveTerms[habit] = weight * model.shortwave(point, habit, radius);
  }
  out.longwave = pairwiseSum(longwaveTerms, 0, HABIT_COUNT);
  out.shortwave = pairwiseSum(shortwaveTerms, 0, HABIT_COUNT);
}

const longwaveTerms = new Float32Array(HABIT_COUNT);
const shortwaveTerms = new Float32Array(HABIT_COUNT);

function pairwiseSum(terms: Float32Array, from: number, count: number): number {
  if (count === 1) return terms[from] as number;
  const half = count / 2;
  return Math.fround(pairwiseSum(terms, from, half) + pairwiseSum(terms, from + half, half));
}

/** Net forcing [W m⁻²] with the enhancement factors; rounded as the reference does when `single`. */
export function netForcing(
  longwave: number,
  shortwave: number,
  longwaveFactor: number,
  shortwaveFactor: number,
  single: boolean,
): number {
  if (!single) return longwaveFactor * longwave + shortwaveFactor * shortwave;
  return Math.fround(
    Math.fround(Math.fround(longwaveFactor) * longwave) +
      Math.fround(Math.fround(shortwaveFactor) * shortwave),
  );
}

function at(coefficient: HabitCoefficient, habit: number): number {
  return HABIT_COEFFICIENTS[coefficient][habit] as number;
}
