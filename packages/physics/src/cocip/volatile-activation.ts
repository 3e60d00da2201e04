/**
 * Ice from soot, volatile and ambient particles together (Kärcher et al. 2015 as extended by Ponsonby et al. 2025); an option
 * of the model. Diameters and radii in m, κ hygroscopicity.
 */

import { saturationPressureLiquid } from '../atmosphere/saturation.ts';
import { EPSILON, GAS_CONSTANT_DRY, ZERO_CELSIUS_K } from '../constants.ts';
import { activationRadiusM } from './activation-radius.ts';
import { erf } from './erf.ts';

interface ParticleType {
  readonly diameterM: number;
  readonly spread: number;
  readonly kappa: number;
}

const NVPM: ParticleType = { diameterM: 30e-9, spread: 2, kappa: 0.005 };
const AMBIENT: ParticleType = { diameterM: 30e-9, spread: 2.2, kappa: 0.5 };
const AMBIENT_PER_M3 = 600e6;
const VOLATILE_RICH: ParticleType = { diameterM: 1.95e-9, spread: 1.4, kappa: 0.54 };
const VOLATILE_RICH_EI = 1e17;
const VOLATILE_LEAN: ParticleType = { diameterM: 9.55e-9, spread: 1.4, kappa: 0.33 };
const VOLATILE_LEAN_EI = 1.4e15;
/** Engines below this nvPM number index [kg⁻¹] burn lean. */
const LEAN_BURN_EI = 1e12;

const EXHAUST_K = 600;
const MIXING_TIME_S = 0.01;
const DILUTION_EXPONENT = 0.9;
const FUEL_AIR_DILUTION = 60;
const WATER_MOLECULE_M3 = 18e-3 / 6.022e23 / 1000;
const BOLTZMANN = 1.381e-23;
const GAS_CONSTANT = 8.3145;
const WATER_KG_MOL = 18e-3;
const PLUME_POINTS = 40;

/** Activated particles per kg of fuel; NaN where the plume never gets saturated enough to decide. */
export function volatileActivation(
  temperatureK: number,
  pressurePa: number,
  humidity: number,
  mixingSlope: number,
  nvpmEiN: number,
  exhaustK = EXHAUST_K,
): number {
  const lean = nvpmEiN < LEAN_BURN_EI;
  const types = [NVPM, lean ? VOLATILE_LEAN : VOLATILE_RICH, AMBIENT] as const;
  const volatileEi = lean ? VOLATILE_LEAN_EI : VOLATILE_RICH_EI;
  const vapour = (plumeK: number) =>
    (humidity * pressurePa) / EPSILON + mixingSlope * (plumeK - temperatureK);
  const saturation = (plumeK: number) => vapour(plumeK) / saturationPressureLiquid(plumeK);
  const plumeK = plumeTemperatures(saturation);

  const S = plumeK.map(saturation);
  const dilution = plumeK.map((T) => dilutionAt(T, temperatureK, exhaustK));
  const density = plumeK.map((T) => pressurePa / (GAS_CONSTANT_DRY * T));
  const available = new Float64Array(PLUME_POINTS);
  const wetRadius = new Float64Array(PLUME_POINTS);
  for (let k = 0; k < PLUME_POINTS; k++) {
    const T = plumeK[k] as number;
    const D = dilution[k] as number;
    const perEi = ((density[k] as number) * D) / FUEL_AIR_DILUTION;
    const totals = [
      nvpmEiN * perEi,
      volatileEi * perEi,
      AMBIENT_PER_M3 * (temperatureK / T) * (1 - D),
    ] as const;
    let radiusSum = 0;
    for (let j = 0; j < types.length; j++) {
      const type = types[j] as ParticleType;
      const radius = activationRadiusM(S[k] as number, T, type.kappa);
      const n = (totals[j] as number) * activatedFraction(radius, type);
      available[k] = (available[k] as number) + n;
      if (!Number.isNaN(radius)) radiusSum += radius * n;
    }
    wetRadius[k] = radiusSum / (available[k] as number);
  }

  const logAvailable = available.map((n) => Math.log(n));
  const supersaturation = S.map((s) => s - 1);
  const perK = quotient(gradient(S), gradient(plumeK));
  const perS = quotient(gradient(logAvailable), gradient(supersaturation));
  const F = logAvailable.map((logN, k) => {
    const T = plumeK[k] as number;
    const cooling =
      -DILUTION_EXPONENT *
      ((exhaustK - temperatureK) / MIXING_TIME_S) *
      (dilution[k] as number) ** (1 + 1 / DILUTION_EXPONENT);
    const production = (perK[k] as number) * cooling;
    const loss = lossRate(
      S[k] as number,
      T,
      pressurePa,
      wetRadius[k] as number,
      1 / (production * (perS[k] as number)),
    );
    return logN - Math.log(production / loss);
  });
  const at = balancePoint(F);
  if (at === undefined) return Number.NaN;
  const mix = (column: Float64Array) =>
    (column[at.cell] as number) * (1 - at.weight) +
    (column[Math.min(at.cell + 1, PLUME_POINTS - 1)] as number) * at.weight;
  return (mix(available) * FUEL_AIR_DILUTION) / (mix(density) * mix(dilution));
}

/** Forty temperatures of the cooling plume that bracket where droplets form [K]. */
function plumeTemperatures(saturation: (plumeK: number) => number): Float64Array {
  let hottestWet = Number.NaN;
  let wettest = 190;
  let most = Number.NEGATIVE_INFINITY;
  for (let T = 190; T < 250; T++) {
    const s = saturation(T);
    if (s > 1) hottestWet = T;
    if (s > most) {
      most = s;
      wettest = T;
    }
  }
  const high = Number.isNaN(hottestWet) ? 250 : hottestWet + 1;
  const low = wettest - 1;
  return Float64Array.from(
    { length: PLUME_POINTS },
    (_, k) => high + ((low - high) * k) / (PLUME_POINTS - 1),
  );
}

function dilutionAt(plumeK: number, ambientK: number, exhaustK: number): number {
  const ratio = (exhaustK - ambientK) / (plumeK - ambientK);
  const age = ratio < 0 ? Number.NaN : MIXING_TIME_S * ratio ** (1 / DILUTION_EXPONENT);
  return age > MIXING_TIME_S ? (MIXING_TIME_S / age) ** DILUTION_EXPONENT : 1;
}

/** Share of a log-normal population larger than the activation radius. */
function activatedFraction(radiusM: number, type: ParticleType): number {
  const x = (Math.log(2 * radiusM) - Math.log(type.diameterM)) / (Math.SQRT2 * Math.log(type.spread));
  return 0.5 - 0.5 * erf(x);
}

/** Rate at which growing droplets take up supersaturation, per droplet and volume. */
function lossRate(
  S: number,
  plumeK: number,
  pressurePa: number,
  radiusM: number,
  activationTimeS: number,
): number {
  const saturated = saturationPressureLiquid(plumeK) / (BOLTZMANN * plumeK);
  const thermal = Math.sqrt((8 * GAS_CONSTANT * plumeK) / (Math.PI * WATER_KG_MOL));
  const diffusivity = 0.211e-4 * (plumeK / ZERO_CELSIUS_K) ** 1.94 * (101_325 / pressurePa);
  const b1 = (WATER_MOLECULE_M3 * thermal * (S - 1) * saturated) / 4;
  const b2 = thermal / (4 * diffusivity);
  const delta = b2 * radiusM;
  const growthTimeS = ((1 + delta) * radiusM) / b1;
  const ratio = ((2 * delta) / (1 + delta)) * (activationTimeS / growthTimeS);
  const kw = ratio <= 0 ? Number.NaN : ratio;
  const f = (3 * Math.sqrt(kw)) / (2 * Math.sqrt(1 / kw) + Math.sqrt(1 / kw + 9 / Math.PI));
  return (
    ((4 * Math.PI * b1) / (WATER_MOLECULE_M3 * saturated * b2 * b2)) *
    ((delta * delta) / (1 + delta)) *
    (1 - 1 / (delta * delta) + (1 / (delta * delta)) * ((1 + delta) ** 2 / 2 + 1 / kw) * f)
  );
}

/** Where the available particles balance those that the cooling can activate. */
function balancePoint(F: Float64Array): { cell: number; weight: number } | undefined {
  const negative = F.some((f) => f < 0);
  const positive = F.some((f) => f > 0);
  if (!negative) return undefined;
  if (!positive) {
    let best = 0;
    for (let k = 1; k < F.length; k++)
      if ((F[k] as number) > (F[best] as number) || Number.isNaN(F[best])) best = k;
    return { cell: best, weight: 0 };
  }
  let cell = F.length - 2;
  for (let k = 0; k < F.length - 1; k++) if ((F[k] as number) <= 0 && (F[k + 1] as number) > 0) cell = k;
  return { cell, weight: (F[cell] as number) / ((F[cell] as number) - (F[cell + 1] as number)) };
}

/** Differences with unit spacing: central inside, one-sided at the ends. */
function gradient(values: Float64Array): Float64Array {
  const last = values.length - 1;
  return values.map((_, k) => {
    if (k === 0) return (values[1] as number) - (values[0] as number);
    if (k === last) return (values[last] as number) - (values[last - 1] as number);
    return ((values[k + 1] as number) - (values[k - 1] as number)) / 2;
  });
}

function quotient(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, k) => value / (b[k] as number));
}
