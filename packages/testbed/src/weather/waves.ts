/**
 * Sums of waves that travel around the earth, cos(mλ + lφ + kζ − ωt + phase). Along a circle of latitude such a sum is
 * a short Fourier series, so a row of a grid costs a few products per point.
 */

/** A wave; longitude and latitude in radians, time in days. */
export interface Wave {
  /** Which of the wavenumbers of its series this is. */
  readonly term: number;
  /** Tilt of the crests with latitude [rad⁻¹]. */
  readonly meridional: number;
  /** Tilt of the crests with log-pressure height. */
  readonly vertical: number;
  /** [rad d⁻¹], positive for waves that travel eastward. */
  readonly frequency: number;
  readonly phase: number;
  readonly amplitude: number;
  readonly belt: Belt;
}

export type Belt = 'north' | 'tropics' | 'south';

/** Σ cosine cos(mλ) + sine sin(mλ), one term for each wavenumber m of a {@link Circle}. */
export interface Series {
  readonly cosine: Float64Array;
  readonly sine: Float64Array;
}

export const makeSeries = (terms: number): Series => ({
  cosine: new Float64Array(terms),
  sine: new Float64Array(terms),
});

/** cos(mλ) and sin(mλ), with the wavenumbers of one longitude adjacent. */
export interface Circle {
  readonly wavenumbers: readonly number[];
  readonly cosine: Float64Array;
  readonly sine: Float64Array;
}

export function makeCircle(longitudesDeg: ArrayLike<number>, wavenumbers: readonly number[]): Circle {
  const terms = wavenumbers.length;
  const cosine = new Float64Array(longitudesDeg.length * terms);
  const sine = new Float64Array(longitudesDeg.length * terms);
  for (let i = 0; i < longitudesDeg.length; i++) {
    // The same meridian under two names, −180 and 180, has one weather.
    const longitude = ((((longitudesDeg[i] as number) % 360) + 360) % 360) * (Math.PI / 180);
    wavenumbers.forEach((m, term) => {
      cosine[i * terms + term] = Math.cos(m * longitude);
      sine[i * terms + term] = Math.sin(m * longitude);
    });
  }
  return { wavenumbers, cosine, sine };
}

/** Adds a wave without tilt, or at height 0. */
export function addWave(
  series: Series,
  wave: Wave,
  strength: number,
  latitudeRad: number,
  days: number,
): void {
  const { term } = wave;
  const angle = wave.meridional * latitudeRad - wave.frequency * days + wave.phase;
  series.cosine[term] = (series.cosine[term] as number) + strength * Math.cos(angle);
  series.sine[term] = (series.sine[term] as number) - strength * Math.sin(angle);
}
