/**
 * Moist and dry air: waves of many sizes, tilted and layered, whose sum is close to a standard normal number
 * everywhere.
 */
import { addWave, type Belt, type Circle, makeSeries, type Wave } from './waves.ts';

export const MOISTURE_WAVENUMBERS = [0, 1, 2, 4, 6, 9, 13, 18, 24, 30, 36, 42] as const;

const WAVES_PER_NUMBER = 4;

/** How fast the pattern travels eastward [° d⁻¹], near the speed of the air that carries it. */
const DRIFT_DEG_PER_DAY: Readonly<Record<Belt, readonly [slow: number, fast: number]>> = {
  north: [10, 22],
  tropics: [-6, 4],
  south: [12, 24],
};

/** Moist layers come and go while they drift: one that a contrail lies in has dried out after some hours [rad d⁻¹]. */
const TURNOVER = [6.3, 11.7] as const;

/** Layers of a few hundred kilometres have most of the variance [wavenumber]. */
const MAX_FULL_WAVE = 16;
const SHORT_WAVE_DECAY = 60;

export function makeMoisture(random: () => number): Wave[] {
  const waves: Wave[] = [];
  const sign = () => (random() < 0.5 ? -1 : 1);
  const between = (low: number, high: number) => low + (high - low) * random();
  for (const belt of ['north', 'tropics', 'south'] as const) {
    const [slow, fast] = DRIFT_DEG_PER_DAY[belt];
    MOISTURE_WAVENUMBERS.forEach((m, term) => {
      for (let i = 0; i < WAVES_PER_NUMBER; i++) {
        waves.push({
          term,
          meridional: sign() * (2 + 1.8 * random() * m),
          vertical: sign() * (3 + 9 * random()),
          frequency:
            m === 0
              ? 1 + random()
              : m * between(slow, fast) * (Math.PI / 180) + sign() * between(...TURNOVER),
          phase: 2 * Math.PI * random(),
          amplitude: m === 0 ? 0.04 : Math.min(1, m / MAX_FULL_WAVE) / (1 + m / SHORT_WAVE_DECAY),
          belt,
        });
      }
    });
  }
  return waves;
}

/** Moisture at every longitude of a circle of latitude at a log-pressure height. */
export function moistureInto(
  out: Float64Array,
  circle: Circle,
  waves: readonly Wave[],
  latitudeDeg: number,
  height: number,
  days: number,
): void {
  const { cosine, sine } = seriesAt(waves, latitudeDeg, height, days);
  const terms = cosine.length;
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    for (let term = 0, at = i * terms; term < terms; term++, at++) {
      sum +=
        (cosine[term] as number) * (circle.cosine[at] as number) +
        (sine[term] as number) * (circle.sine[at] as number);
    }
    out[i] = sum;
  }
}

function seriesAt(waves: readonly Wave[], latitudeDeg: number, height: number, days: number) {
  const series = makeSeries(MOISTURE_WAVENUMBERS.length);
  const latitudeRad = (latitudeDeg * Math.PI) / 180;
  const cosine = Math.max(Math.cos(latitudeRad), 0);
  const belts = beltShares(latitudeDeg);
  // Short waves end before the meridians meet; at the poles themselves only the zonal mean is left.
  const termShares = MOISTURE_WAVENUMBERS.map((m) => (m === 0 ? 1 : cosine ** Math.max(1, m / 14)));
  let variance = 0;
  for (const wave of waves) {
    const strength = wave.amplitude * belts[wave.belt] * (termShares[wave.term] as number);
    variance += 0.5 * strength * strength;
    addWave(series, wave, strength, latitudeRad, height, days);
  }
  const scale = 1 / Math.sqrt(variance);
  return { cosine: series.cosine.map((c) => c * scale), sine: series.sine.map((s) => s * scale) };
}

/** The variances of the belts add up to one. */
function beltShares(latitudeDeg: number): Readonly<Record<Belt, number>> {
  const north = 1 / (1 + Math.exp((24 - latitudeDeg) / 4));
  const south = 1 / (1 + Math.exp((24 + latitudeDeg) / 4));
  return { north: Math.sqrt(north), tropics: Math.sqrt(1 - north - south), south: Math.sqrt(south) };
}
