/**
 * Weather systems: planetary and synoptic waves of the two storm tracks. Their sum is one number per column, positive
 * in ridges and negative in troughs, with a root mean square near 1 in the middle of a storm track.
 */
import { addWave, type Belt, type Series, type Wave } from './waves.ts';

export const SYSTEM_WAVENUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** Relative strength of the wavenumbers: cyclones are some 50° to 70° of longitude apart. */
const SPECTRUM = [0.5, 0.6, 0.7, 0.8, 1, 1, 0.9, 0.6, 0.4];
/** Waves of one wavenumber but different speeds beat: systems grow and decay within some days. */
const WAVES_PER_NUMBER = 2;

const STORM_TRACK_DEG = 48;
const STORM_TRACK_WIDTH_DEG = 14;

export function makeSystems(random: () => number): Wave[] {
  const waves: Wave[] = [];
  const total = Math.sqrt(SPECTRUM.reduce((sum, share) => sum + share * share, 0) * WAVES_PER_NUMBER * 0.5);
  for (const belt of ['north', 'south'] as const) {
    SYSTEM_WAVENUMBERS.forEach((m, term) => {
      for (let i = 0; i < WAVES_PER_NUMBER; i++) {
        const degreesPerDay = m <= 3 ? -3 + 6 * random() : 6 + 8 * random();
        waves.push({
          term,
          meridional: 3 * (random() - 0.5) * Math.sqrt(m),
          vertical: 0,
          frequency: m * degreesPerDay * (Math.PI / 180),
          phase: 2 * Math.PI * random(),
          amplitude: (SPECTRUM[term] as number) / total,
          belt,
        });
      }
    });
  }
  return waves;
}

/** The series of the systems along a circle of latitude. */
export function systemsAt(
  out: Series,
  waves: readonly Wave[],
  latitudeDeg: number,
  days: number,
  summer: number,
): void {
  out.cosine.fill(0);
  out.sine.fill(0);
  const latitudeRad = (latitudeDeg * Math.PI) / 180;
  const strength = {
    north: trackStrength('north', latitudeDeg, summer),
    south: trackStrength('south', latitudeDeg, summer),
  };
  for (const wave of waves) {
    const share = wave.belt === 'north' ? strength.north : strength.south;
    addWave(out, wave, wave.amplitude * share, latitudeRad, days);
  }
}

/** Strongest in the winter of each hemisphere; nothing at the poles, where a wave would have no direction. */
function trackStrength(belt: Belt, latitudeDeg: number, summer: number): number {
  const sign = belt === 'north' ? 1 : -1;
  const offset = (latitudeDeg * sign - STORM_TRACK_DEG) / STORM_TRACK_WIDTH_DEG;
  const cosine = Math.cos((latitudeDeg * Math.PI) / 180) / Math.cos((STORM_TRACK_DEG * Math.PI) / 180);
  const winter = sign > 0 ? 1 - 0.25 * summer : 1 + 0.12 * summer;
  return winter * cosine * cosine * Math.exp(-offset * offset * 0.5);
}
