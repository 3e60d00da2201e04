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

const tables = new Map<number, Float64Array>();

/** Activation radius [m] at a saturation ratio over liquid and a temperature [K]; NaN outside the table. */
export function activationRadiusM(saturation: number, temperatureK: number, kappa: number): number {
  const x = (Math.log(Math.log(saturation)) - U_FIRST) / U_STEP;
  const y = temperatureK - T_FIRST;
  if (!(x >= 0 && x <= U_COUNT - 1 && y >= 0 && y <= T_COUNT - 1)) return Number.NaN;
  const table = tableOf(kappa);
  const i = Math.min(Math.floor(x), U_COUNT - 2);
  const j = Math.min(Math.floor(y), T_COUNT - 2);
  const wx = x - i;
  const wy = y - j;
  const at = (a: number, b: number) => table[a * T_COUNT + b] as number;
  return Math.exp(
    (at(i, j) * (1 - wx) + at(i + 1, j) * wx) * (1 - wy) +
      (at(i, j + 1) * (1 - wx) + at(i + 1, j + 1) * wx) * wy,
  );
}

/** Saturation ratio at which a dry diameter [m] activates. */
function criticalSaturation(diameterM: number, temperatureK: number, kappa: number): number {
  const A = kelvinLengthM(temperatureK);
  const dry = diameterM ** 3;
  const c = kappa * dry;
  let x = diameterM * (1 + Math.exp(12.21 + 0.5883 * Math.log(kappa) + 0.6319 * Math.log(diameterM)));
  for (let n = 0; n < 25; n++) {
    const M = x ** 3 - dry;
    const f = (3 * x ** 4 * c) / (M * (M + c)) - A;
    const slope =
      (12 * x ** 3 * c) / (M * (M + c)) - (3 * x ** 4 * c * (2 * M + c) * 3 * x * x) / (M * (M + c)) ** 2;
    const move = f / slope;
    x -= move;
    if (Math.abs(move) < 1e-12) break;
  }
  return ((x ** 3 - dry) / (x ** 3 - dry * (1 - kappa))) * Math.exp(A / x);
}

/** Length scale of the Kelvin effect [m]. */
function kelvinLengthM(temperatureK: number): number {
  const surfaceTension = 0.0761 - 1.55e-4 * (temperatureK - ZERO_CELSIUS_K);
  let density = 0;
  for (let k = DENSITY_POLYNOMIAL.length - 1; k >= 0; k--)
    density = density * temperatureK + (DENSITY_POLYNOMIAL[k] as number);
  return (4 * surfaceTension * MOLAR_MASS_WATER) / (MOLAR_GAS_CONSTANT * temperatureK * density);
}

/** Logarithms of the activation radii of one hygroscopicity, made when first asked for. */
function tableOf(kappa: number): Float64Array {
  const known = tables.get(kappa);
  if (known) return known;
  const table = new Float64Array(U_COUNT * T_COUNT);
  for (let i = 0; i < U_COUNT; i++) {
    const target = Math.exp(Math.exp(U_FIRST + i * U_STEP));
    for (let j = 0; j < T_COUNT; j++)
      table[i * T_COUNT + j] = Math.log(solveActivationRadiusM(target, T_FIRST + j, kappa));
  }
  tables.set(kappa, table);
  return table;
}

/** Activation radius [m] by geometric bisection between 0.5 nm and 1 µm; NaN when it is not between them. */
export function solveActivationRadiusM(target: number, temperatureK: number, kappa: number): number {
  let low = 5e-10;
  let high = 1e-6;
  const excess = (radius: number) => criticalSaturation(2 * radius, temperatureK, kappa) - target;
  const atLow = excess(low);
  if (Math.sign(atLow) === Math.sign(excess(high))) return Number.NaN;
  for (let n = 0; n < 30 && high / low - 1 >= 1e-6; n++) {
    const middle = Math.sqrt(low * high);
    if (Math.sign(excess(middle)) === Math.sign(atLow)) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}
