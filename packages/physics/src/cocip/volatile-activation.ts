/**
 * Ice from soot, volatile and ambient particles together (Kärcher et al. 2015 as extended by Ponsonby et al. 2025); an option
 * of the model. Diameters and radii in m, κ hygroscopicity.
 */

import { saturationPressureLiquid } from '../atmosphere/saturation.ts';
import { EPSILON, GAS_CONSTANT_DRY, ZERO_CELSIUS_K } from '../constants.ts';
import { activationRadii, lnActivationRadius } from './activation-radius.ts';
import { erf } from './erf.ts';

interface ParticleType {
  readonly lnDiameter: number;
  /** Of the logarithm of diameters, times the root of 2. */
  readonly width: number;
  readonly kappa: number;
}

const NVPM = particleType(30e-9, 2, 0.005);
const AMBIENT = particleType(30e-9, 2.2, 0.5);
const AMBIENT_PER_M3 = 600e6;
const VOLATILE_RICH = particleType(1.95e-9, 1.4, 0.54);
const VOLATILE_RICH_EI = 1e17;
const VOLATILE_LEAN = particleType(9.55e-9, 1.4, 0.33);
const VOLATILE_LEAN_EI = 1.4e15;
/** Engines below this nvPM number index [kg⁻¹] burn lean. */
const LEAN_BURN_EI = 1e12;

function particleType(diameterM: number, spread: number, kappa: number): ParticleType {
  return { lnDiameter: Math.log(diameterM), width: Math.SQRT2 * Math.log(spread), kappa };
}

const EXHAUST_K = 600;
const MIXING_TIME_S = 0.01;
const DILUTION_EXPONENT = 0.9;
const FUEL_AIR_DILUTION = 60;
const WATER_MOLECULE_M3 = 18e-3 / 6.022e23 / 1000;
const BOLTZMANN = 1.381e-23;
const GAS_CONSTANT = 8.3145;
const WATER_KG_MOL = 18e-3;
const PLUME_POINTS = 40;
/** Whole temperatures among which the plume is looked for [K]. */
const COLDEST_K = 190;
const WARMEST_K = 250;

/** The plume of one waypoint as it cools; the next one overwrites it. */
const column = () => new Float64Array(PLUME_POINTS);
const plume = {
  temperature: column(),
  saturated: column(),
  saturation: column(),
  dilution: column(),
  density: column(),
  available: column(),
  logAvailable: column(),
  wetRadius: column(),
  balance: column(),
};
const saturatedAt = Float64Array.from({ length: WARMEST_K - COLDEST_K }, (_, k) =>
  saturationPressureLiquid(COLDEST_K + k),
);

/** Activated particles per kg of fuel; NaN where the plume never gets saturated enough to decide. */
export function volatileActivation(
  temperatureK: number,
  pressurePa: number,
  humidity: number,
  mixingSlope: number,
  nvpmEiN: number,
  exhaustK = EXHAUST_K,
): number {
  const { temperature, saturated, saturation, dilution, density } = plume;
  const ambientVapour = (humidity * pressurePa) / EPSILON - mixingSlope * temperatureK;
  coolThroughSaturation(ambientVapour, mixingSlope);
  for (let k = 0; k < PLUME_POINTS; k++) {
    const T = temperature[k] as number;
    saturated[k] = saturationPressureLiquid(T);
    saturation[k] = (ambientVapour + mixingSlope * T) / (saturated[k] as number);
    const ratio = (exhaustK - temperatureK) / (T - temperatureK);
    dilution[k] = ratio > 1 ? 1 / ratio : 1;
    density[k] = pressurePa / (GAS_CONSTANT_DRY * T);
  }
  activate(temperatureK, nvpmEiN);
  balance((exhaustK - temperatureK) / MIXING_TIME_S, pressurePa);
  const at = balancePoint(plume.balance);
  if (at === undefined) return Number.NaN;
  const mix = (values: Float64Array) =>
    (values[at.cell] as number) * (1 - at.weight) +
    (values[Math.min(at.cell + 1, PLUME_POINTS - 1)] as number) * at.weight;
  return (mix(plume.available) * FUEL_AIR_DILUTION) / (mix(density) * mix(dilution));
}

/** Forty temperatures of the cooling plume that bracket where droplets form [K]. */
function coolThroughSaturation(ambientVapour: number, mixingSlope: number): void {
  let hottestWet = Number.NaN;
  let wettest = COLDEST_K;
  let max = Number.NEGATIVE_INFINITY;
  for (let T = COLDEST_K; T < WARMEST_K; T++) {
    const s = (ambientVapour + mixingSlope * T) / (saturatedAt[T - COLDEST_K] as number);
    if (s > 1) hottestWet = T;
    if (s > max) {
      max = s;
      wettest = T;
    }
  }
  const high = Number.isNaN(hottestWet) ? WARMEST_K : hottestWet + 1;
  const low = wettest - 1;
  for (let k = 0; k < PLUME_POINTS; k++)
    plume.temperature[k] = high + ((low - high) * k) / (PLUME_POINTS - 1);
}

/** Particles that can activate, and their mean radius. */
function activate(ambientK: number, nvpmEiN: number): void {
  const { temperature, saturation, dilution, density, available, logAvailable, wetRadius } = plume;
  const isLean = nvpmEiN < LEAN_BURN_EI;
  const volatileParticles = isLean ? VOLATILE_LEAN : VOLATILE_RICH;
  const volatileEi = isLean ? VOLATILE_LEAN_EI : VOLATILE_RICH_EI;
  const tables = [NVPM, volatileParticles, AMBIENT].map(({ kappa }) => activationRadii(kappa));
  const [ofNvpm, ofVolatile, ofAmbient] = tables as [Float64Array, Float64Array, Float64Array];
  for (let k = 0; k < PLUME_POINTS; k++) {
    const T = temperature[k] as number;
    const D = dilution[k] as number;
    const lnLnS = Math.log(Math.log(saturation[k] as number));
    const perEi = ((density[k] as number) * D) / FUEL_AIR_DILUTION;
    const soot = lnActivationRadius(ofNvpm, lnLnS, T);
    const volatile = lnActivationRadius(ofVolatile, lnLnS, T);
    const ambient = lnActivationRadius(ofAmbient, lnLnS, T);
    const sootPerM3 = nvpmEiN * perEi * activatedFraction(soot, NVPM);
    const volatilePerM3 = volatileEi * perEi * activatedFraction(volatile, volatileParticles);
    const ambientPerM3 = AMBIENT_PER_M3 * (ambientK / T) * (1 - D) * activatedFraction(ambient, AMBIENT);
    const all = sootPerM3 + volatilePerM3 + ambientPerM3;
    available[k] = all;
    logAvailable[k] = Math.log(all);
    wetRadius[k] =
      (zeroForNaN(Math.exp(soot) * sootPerM3) +
        zeroForNaN(Math.exp(volatile) * volatilePerM3) +
        zeroForNaN(Math.exp(ambient) * ambientPerM3)) /
      all;
  }
}

/** By how much more particles are available than the cooling can activate, as a difference of logarithms. */
function balance(coolingPerDilution: number, pressurePa: number): void {
  const { temperature, saturated, saturation, dilution, logAvailable, wetRadius } = plume;
  for (let k = 0; k < PLUME_POINTS; k++) {
    const perK = slopeAt(saturation, k) / slopeAt(temperature, k);
    const perS = slopeAt(logAvailable, k) / slopeAt(saturation, k);
    const cooling =
      -DILUTION_EXPONENT * coolingPerDilution * (dilution[k] as number) ** (1 + 1 / DILUTION_EXPONENT);
    const production = perK * cooling;
    const loss = lossRate(
      saturation[k] as number,
      temperature[k] as number,
      saturated[k] as number,
      pressurePa,
      wetRadius[k] as number,
      1 / (production * perS),
    );
    plume.balance[k] = (logAvailable[k] as number) - Math.log(production / loss);
  }
}

/** Difference with unit spacing: central inside, one-sided at the ends. */
function slopeAt(values: Float64Array, k: number): number {
  if (k === 0) return (values[1] as number) - (values[0] as number);
  if (k === PLUME_POINTS - 1) return (values[k] as number) - (values[k - 1] as number);
  return ((values[k + 1] as number) - (values[k - 1] as number)) / 2;
}

const zeroForNaN = (value: number): number => (Number.isNaN(value) ? 0 : value);

/** Share of a log-normal population larger than the activation radius. */
function activatedFraction(lnRadius: number, { lnDiameter, width }: ParticleType): number {
  const x = (lnRadius + Math.LN2 - lnDiameter) / width;
  return 0.5 - 0.5 * erf(x);
}

/** Rate at which growing droplets take up supersaturation, per droplet and volume. */
function lossRate(
  S: number,
  plumeK: number,
  saturatedPa: number,
  pressurePa: number,
  radiusM: number,
  activationTimeS: number,
): number {
  const saturated = saturatedPa / (BOLTZMANN * plumeK);
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
