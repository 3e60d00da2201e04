/** Correction of nvPM for the hydrogen content of the fuel (ICAO Annex 16 Vol. II, Appendix 7). */

const REFERENCE_HYDROGEN_PERCENT = 13.8;
const UNKNOWN_THRUST = 0.45;

/** The correction was measured for these contents [% by mass]. */
const MEASURED_PERCENT = [13.4, 15.4] as const;

/** Warning for a hydrogen content [% by mass] for which the correction was not measured; none when it is unknown. */
export function hydrogenWarning(hydrogenPercent: number): string | undefined {
  const [min, max] = MEASURED_PERCENT;
  if (!(hydrogenPercent < min || hydrogenPercent > max)) return undefined;
  return `hydrogen content of the fuel is ${hydrogenPercent} %; nvPM emissions are corrected as for ${min} to ${max} %, beyond that they are extrapolated`;
}

/** Factor on the nvPM mass index for a hydrogen content [% by mass]; exactly 1 at 13.8 %. */
export function hydrogenMassFactor(hydrogenPercent: number, thrust: number): number {
  return Math.exp((1.08 * known(thrust) - 1.31) * (hydrogenPercent - REFERENCE_HYDROGEN_PERCENT));
}

/** Factor on the nvPM number index. */
export function hydrogenNumberFactor(hydrogenPercent: number, thrust: number): number {
  return Math.exp((0.99 * known(thrust) - 1.05) * (hydrogenPercent - REFERENCE_HYDROGEN_PERCENT));
}

function known(thrust: number): number {
  return Number.isNaN(thrust) ? UNKNOWN_THRUST : thrust;
}
