/** How CO2 decays and how the surface warms: closed forms of the responses to pulses and to forcings that decay. */

/** Share of emitted CO2 that stays, and the shares that decay with their times [years] (Joos et al., ACP 13, 2793, 2013). */
const CO2_STAYING = 0.2173;
const CO2_DECAYING = [
  [0.224, 394.4],
  [0.2824, 36.54],
  [0.2763, 4.304],
] as const;

/** Sensitivities [K W⁻¹ m²] and times [years] of the response of temperature (Boucher & Reddy, Energy Policy 36, 193, 2008). */
const TEMPERATURE_MODES = [
  [0.631, 8.4],
  [0.429, 409.5],
] as const;

/** Radiative efficiency of CO2 [W m⁻² kg⁻¹]. */
const CO2_EFFICIENCY = 1.7e-15;

/** Absolute global warming potential of CO2 [W m⁻² yr kg⁻¹]. */
export function agwpCo2(years: number): number {
  const decaying = CO2_DECAYING.reduce((sum, [a, tau]) => sum + a * tau * (1 - Math.exp(-years / tau)), 0);
  return CO2_EFFICIENCY * (CO2_STAYING * years + decaying);
}

/** Warming after so many years by a kilogram of CO2 [K kg⁻¹]. */
export function agtpCo2(years: number): number {
  const decaying = CO2_DECAYING.reduce((sum, [a, tau]) => sum + a * decayWarming(tau, years), 0);
  return CO2_EFFICIENCY * (CO2_STAYING * pulseWarmingIntegral(years) + decaying);
}

/** The integral of that warming [K yr kg⁻¹]. */
export function integratedAgtpCo2(years: number): number {
  const staying = TEMPERATURE_MODES.reduce(
    (sum, [c, d]) => sum + c * (years - d * (1 - Math.exp(-years / d))),
    0,
  );
  const decaying = CO2_DECAYING.reduce((sum, [a, tau]) => sum + a * decayWarmingIntegral(tau, years), 0);
  return CO2_EFFICIENCY * (CO2_STAYING * staying + decaying);
}

/** Warming so many years after a pulse of 1 W m⁻² yr [K]. */
export function pulseWarming(years: number): number {
  return TEMPERATURE_MODES.reduce((sum, [c, d]) => sum + (c / d) * Math.exp(-years / d), 0);
}

/** The integral of that warming [K yr]; also the warming by a forcing of 1 W m⁻² that stays [K]. */
export function pulseWarmingIntegral(years: number): number {
  return TEMPERATURE_MODES.reduce((sum, [c, d]) => sum + c * (1 - Math.exp(-years / d)), 0);
}

/** Warming after so many years by a forcing of 1 W m⁻² that decays with `tau` [years]. */
export function decayWarming(tau: number, years: number): number {
  const left = (time: number) => Math.exp(-years / time);
  const slope = (time: number) => (left(time) * years) / time ** 2;
  return TEMPERATURE_MODES.reduce((sum, [c, d]) => sum + c * tau * quotient(left, slope, tau, d), 0);
}

/** The integral of that warming [K yr]. */
export function decayWarmingIntegral(tau: number, years: number): number {
  const saturated = (time: number) => time * (1 - Math.exp(-years / time));
  const slope = (time: number) => 1 - Math.exp(-years / time) * (1 + years / time);
  return TEMPERATURE_MODES.reduce((sum, [c, d]) => sum + c * tau * quotient(saturated, slope, tau, d), 0);
}

/** Times closer than this share of each other are one, whose difference quotient is the slope. */
const MIN_SEPARATION = 1e-5;

function quotient(
  value: (time: number) => number,
  slope: (time: number) => number,
  tau: number,
  d: number,
): number {
  return Math.abs(tau - d) < MIN_SEPARATION * d ? slope((tau + d) / 2) : (value(tau) - value(d)) / (tau - d);
}
