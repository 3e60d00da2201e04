/** Radiance to brightness temperature [K], as each instrument defines it. */

export interface AbiPlanck {
  readonly fk1: number;
  readonly fk2: number;
  readonly bc1: number;
  readonly bc2: number;
}

/** ABI L1b radiance [mW m⁻² sr⁻¹ (cm⁻¹)⁻¹]. */
export function abiTemperature(radiance: number, { fk1, fk2, bc1, bc2 }: AbiPlanck): number {
  return radiance > 0 ? (fk2 / Math.log(fk1 / radiance + 1) - bc1) / bc2 : Number.NaN;
}

export interface AhiPlanck {
  /** Central wavelength [µm]. */
  readonly wavelength: number;
  /** Speed of light, Planck's and Boltzmann's constant [SI]. */
  readonly c: number;
  readonly h: number;
  readonly k: number;
  /** Effective to brightness temperature. */
  readonly c0: number;
  readonly c1: number;
  readonly c2: number;
}

/** AHI radiance [W m⁻² sr⁻¹ µm⁻¹]. */
export function ahiTemperature(radiance: number, { wavelength, c, h, k, c0, c1, c2 }: AhiPlanck): number {
  if (!(radiance > 0)) return Number.NaN;
  const metres = wavelength * 1e-6;
  const effective = (h * c) / (k * metres) / Math.log(1 + (2 * h * c * c) / (metres ** 5 * radiance * 1e6));
  return c0 + c1 * effective + c2 * effective * effective;
}

export interface FciPlanck {
  /** Central wavenumber [cm⁻¹]. */
  readonly wavenumber: number;
  readonly a: number;
  readonly b: number;
  readonly c1: number;
  readonly c2: number;
}

/** FCI effective radiance [mW m⁻² sr⁻¹ (cm⁻¹)⁻¹]. */
export function fciTemperature(radiance: number, { wavenumber, a, b, c1, c2 }: FciPlanck): number {
  if (!(radiance > 0)) return Number.NaN;
  return (c2 * wavenumber) / (a * Math.log(1 + (c1 * wavenumber ** 3) / radiance)) - b / a;
}
