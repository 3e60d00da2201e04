import { sequence, valueNoise } from './noise.ts';

/** Wind at a place of the local plane [km], a pressure [hPa] and a time [s after the first frame]. */
export interface WindModel {
  /** What a forecast has [m s⁻¹]. */
  model(x: number, y: number, hPa: number, seconds: number): [u: number, v: number];
  /** What contrails drift with. */
  truth(x: number, y: number, hPa: number, seconds: number): [u: number, v: number];
  /** Pressure velocity [Pa s⁻¹] and temperature [K] of the forecast. */
  omega(x: number, y: number, seconds: number): number;
  temperature(x: number, y: number, hPa: number): number;
  /** Mean wind at 250 hPa, which clouds move with [km s⁻¹]. */
  readonly drift: readonly [x: number, y: number];
}

/** Patterns move to the east [km s⁻¹]. */
const PATTERN_SPEED = 0.012;

export function makeWinds(seed: number): WindModel {
  const draw = sequence(seed + 11);
  const speed = 15 + 23 * draw();
  const direction = (2 * draw() - 1) * 35 * (Math.PI / 180);
  const errorSpeed = 0.5 + 2 * draw();
  const errorDirection = 2 * Math.PI * draw();
  const errorX = errorSpeed * Math.cos(errorDirection);
  const errorY = errorSpeed * Math.sin(errorDirection);
  const model: WindModel['model'] = (x, y, hPa, seconds) => {
    const px = x - PATTERN_SPEED * seconds;
    const above = (250 - hPa) / 100;
    const s = speed * (1 + 0.35 * above) * (1 + 0.25 * valueNoise(px / 900, y / 900, seed + 21));
    const angle = direction + 0.35 * valueNoise(px / 700, y / 700, seed + 22) + 0.1 * above;
    return [s * Math.cos(angle), s * Math.sin(angle)];
  };
  return {
    model,
    truth(x, y, hPa, seconds) {
      const [u, v] = model(x, y, hPa, seconds);
      return [
        u + errorX + 3 * valueNoise(x / 420, y / 420, seed + 31),
        v + errorY + 3 * valueNoise(x / 420, y / 420, seed + 32),
      ];
    },
    omega: (x, y, seconds) => 0.06 * valueNoise((x - PATTERN_SPEED * seconds) / 500, y / 500, seed + 23),
    temperature: (x, y, hPa) => 218 + 0.16 * (hPa - 225) + 1.5 * valueNoise(x / 600, y / 600, seed + 24),
    drift: [(speed * Math.cos(direction)) / 1000, (speed * Math.sin(direction)) / 1000],
  };
}
