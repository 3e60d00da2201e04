/** Dry radius above which particles of a hygroscopicity κ activate into droplets (Petters and Kreidenweis 2007). */
import { MOLAR_GAS_CONSTANT, MOLAR_MASS_WATER, ZERO_CELSIUS_K } from '../constants.ts';

/** Grid of the table: u = ln ln S from −10 in steps of 0.05, temperature from 190 K in steps of 1 K. */
const U_FIRST = -10;
const U_STEP = 0.05;
const U_COUNT = 220;
const T_FIRST = 190;
const T_COUNT = 60;

const DENSITY_POLYNOMIAL = [
  1864.3535, -72.5821489, 2.5194368, -0.049000203, 5.860253e-4, -4.5055151e-6, 2.2616353e-8, -7.3484974e-11,
  1.4862784e-13, -1.6984748e-16, 8.3699379e-20,
];

const LOW_M = 5e-10;
const HIGH_M = 1e-6;

const tables = new Map<number, Float64Array>();

/** Logarithms of the activation radii of one hygroscopicity, by ln ln S and temperature; made when first asked for. */
export function activationRadii(kappa: number): Float64Array {
  const known = tables.get(kappa);
  if (known) return known;
  const table = new Float64Array(U_COUNT * T_COUNT);
  for (let j = 0; j < T_COUNT; j++) fillTemperature(table, j, kappa);
  tables.set(kappa, table);
  return table;
}

/** Logarithm of the activation radius [m] in a table of {@link activationRadii} at ln ln S and a temperature [K]; NaN outside it. */
export function lnActivationRadius(
  table: Float64Array,
  lnLnSaturation: number,
  temperatureK: number,
): number {
  const x = (lnLnSaturation - U_FIRST) / U_STEP;
  const y = temperatureK - T_FIRST;
  if (!(x >= 0 && x <= U_COUNT - 1 && y >= 0 && y <= T_COUNT - 1)) return Number.NaN;
  const i = Math.min(Math.floor(x), U_COUNT - 2);
  const j = Math.min(Math.floor(y), T_COUNT - 2);
  const wx = x - i;
  const wy = y - j;
  const at = i * T_COUNT + j;
  return (
    ((table[at] as number) * (1 - wx) + (table[at + T_COUNT] as number) * wx) * (1 - wy) +
    ((table[at + 1] as number) * (1 - wx) + (table[at + T_COUNT + 1] as number) * wx) * wy
  );
}

/**
 * Logarithms of radii are almost straight in ln ln S: the line through two neighbours leads close to the next root, and its slope
 * the rest of the way. Bisection takes over where neighbours are missing.
 */
function fillTemperature(table: Float64Array, j: number, kappa: number): void {
  const temperatureK = T_FIRST + j;
  const kelvinM = kelvinLengthM(temperatureK);
  const [largest, smallest] = [
    criticalSaturation(2 * LOW_M, kelvinM, kappa),
    criticalSaturation(2 * HIGH_M, kelvinM, kappa),
  ];
  let before = Number.NaN;
  let slope = Number.NaN;
  for (let i = 0; i < U_COUNT; i++) {
    const u = U_FIRST + i * U_STEP;
    const target = Math.exp(Math.exp(u));
    if (!(target < largest && target > smallest)) {
      table[i * T_COUNT + j] = Number.NaN;
      continue;
    }
    let root = alongLine(u, before + slope * U_STEP, slope, kelvinM, kappa);
    if (Number.isNaN(root)) root = Math.log(solveActivationRadiusM(target, temperatureK, kappa));
    const rootM = Math.exp(root);
    slope = (root - before) / U_STEP;
    before = root;
    table[i * T_COUNT + j] = Math.log(bisected((middleM) => middleM < rootM));
  }
}

/** Logarithm of the radius that activates at ln ln S, from a guess; NaN where the line does not lead there. */
function alongLine(u: number, guess: number, slope: number, kelvinM: number, kappa: number): number {
  let root = guess;
  for (let n = 0; n < 8; n++) {
    const move = slope * (u - Math.log(Math.log(criticalSaturation(2 * Math.exp(root), kelvinM, kappa))));
    root += move;
    if (Math.abs(move) < 1e-10) return root;
  }
  return Number.NaN;
}

/** Saturation ratio at which a dry diameter [m] activates. */
function criticalSaturation(diameterM: number, kelvinM: number, kappa: number): number {
  const dry = diameterM * diameterM * diameterM;
  const c = kappa * dry;
  let x = diameterM * (1 + Math.exp(12.21 + 0.5883 * Math.log(kappa) + 0.6319 * Math.log(diameterM)));
  for (let n = 0; n < 25; n++) {
    const cube = x * x * x;
    const M = cube - dry;
    const product = M * (M + c);
    const f = (3 * x * cube * c) / product - kelvinM;
    const slope = (12 * cube * c) / product - (9 * cube * cube * c * (2 * M + c)) / (product * product);
    const move = f / slope;
    x -= move;
    if (Math.abs(move) < 1e-12) break;
  }
  const cube = x * x * x;
  return ((cube - dry) / (cube - dry * (1 - kappa))) * Math.exp(kelvinM / x);
}

/** Length scale of the Kelvin effect [m]. */
function kelvinLengthM(temperatureK: number): number {
  const surfaceTension = 0.0761 - 1.55e-4 * (temperatureK - ZERO_CELSIUS_K);
  let density = 0;
  for (let k = DENSITY_POLYNOMIAL.length - 1; k >= 0; k--)
    density = density * temperatureK + (DENSITY_POLYNOMIAL[k] as number);
  return (4 * surfaceTension * MOLAR_MASS_WATER) / (MOLAR_GAS_CONSTANT * temperatureK * density);
}

/** Activation radius [m] by geometric bisection between 0.5 nm and 1 µm; NaN when it is not between them. */
export function solveActivationRadiusM(target: number, temperatureK: number, kappa: number): number {
  const kelvinM = kelvinLengthM(temperatureK);
  const excess = (radiusM: number) => criticalSaturation(2 * radiusM, kelvinM, kappa) - target;
  const sign = Math.sign(excess(LOW_M));
  if (sign === Math.sign(excess(HIGH_M))) return Number.NaN;
  return bisected((middleM) => Math.sign(excess(middleM)) === sign);
}

function bisected(isBelowRoot: (middleM: number) => boolean): number {
  let low = LOW_M;
  let high = HIGH_M;
  for (let n = 0; n < 30 && high / low - 1 >= 1e-6; n++) {
    const middle = Math.sqrt(low * high);
    if (isBelowRoot(middle)) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}
