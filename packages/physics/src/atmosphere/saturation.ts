/**
 * Saturation vapour pressure of water [Pa] over ice and over liquid as a function of temperature [K].
 */
import { ZERO_CELSIUS_K } from '../constants.ts';

/** Over ice (Sonntag 1994, eq. 8). */
export function saturationPressureIce(temperatureK: number): number {
  const T = temperatureK;
  return (
    100 *
    Math.exp(-6024.5282 / T + 24.7219 + 0.010613868 * T - 1.3198825e-5 * T * T - 0.49382577 * Math.log(T))
  );
}

/** Over liquid water, also supercooled (Murphy and Koop 2005, eq. 10); the default for liquid everywhere. */
export function saturationPressureLiquid(temperatureK: number): number {
  const T = temperatureK;
  const lnT = Math.log(T);
  const tau = Math.tanh(0.0415 * (T - 218.8));
  const supercooled = 53.878 - 1331.22 / T - 9.44523 * lnT + 0.014025 * T;
  return Math.exp(54.842763 - 6763.22 / T - 4.21 * lnT + 0.000367 * T + tau * supercooled);
}

/** d/dT [Pa K⁻¹] of {@link saturationPressureLiquid}. */
export function saturationPressureLiquidSlope(temperatureK: number): number {
  const T = temperatureK;
  const lnT = Math.log(T);
  const tau = Math.tanh(0.0415 * (T - 218.8));
  const supercooled = 53.878 - 1331.22 / T - 9.44523 * lnT + 0.014025 * T;
  const pressure = Math.exp(54.842763 - 6763.22 / T - 4.21 * lnT + 0.000367 * T + tau * supercooled);
  return (
    pressure *
    (6763.22 / (T * T) -
      4.21 / T +
      0.000367 +
      0.0415 * (1 - tau * tau) * supercooled +
      tau * (1331.22 / (T * T) - 9.44523 / T + 0.014025))
  );
}

/** Over liquid water (Sonntag 1994, eq. 7); only to compare with older papers. */
export function saturationPressureLiquidSonntag(temperatureK: number): number {
  const T = temperatureK;
  return (
    100 * Math.exp(-6096.9385 / T + 16.635794 - 0.02711193 * T + 1.673952e-5 * T * T + 2.433502 * Math.log(T))
  );
}

/** d/dT [Pa K⁻¹] of {@link saturationPressureLiquidSonntag}. */
export function saturationPressureLiquidSonntagSlope(temperatureK: number): number {
  const T = temperatureK;
  return (
    saturationPressureLiquidSonntag(T) *
    (6096.9385 / (T * T) - 0.02711193 + 2 * 1.673952e-5 * T + 2.433502 / T)
  );
}

/** Over liquid at and above 0 °C, over ice below. */
export function saturationPressureMixed(temperatureK: number): number {
  return temperatureK >= ZERO_CELSIUS_K
    ? saturationPressureLiquid(temperatureK)
    : saturationPressureIce(temperatureK);
}
