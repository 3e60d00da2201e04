/** What lies below contrails: sea and land, low cloud and cirrus, for every pixel of a row. */
import { fractalNoise, sequence, valueNoise } from './noise.ts';
import type { WindModel } from './winds.ts';

/** Positions of a pixel in the local plane [km] if what it shows is on the ground, in low cloud or in cirrus. */
export interface PixelPlaces {
  readonly groundX: number;
  readonly groundY: number;
  readonly cloudX: number;
  readonly cloudY: number;
  readonly cirrusX: number;
  readonly cirrusY: number;
}

/** What radiation meets on its way up at a pixel. */
export interface Column {
  surfaceK: number;
  landShare: number;
  /** Scales what water vapour takes away. */
  vapour: number;
  cloudCover: number;
  cloudK: number;
  cirrusTau: number;
  cirrusK: number;
  cirrusBeta: number;
}

export interface Scenery {
  /** Fills the column of a pixel at a time [s after the first frame]. */
  fill(column: Column, places: PixelPlaces, seconds: number): void;
}

/** Low cloud moves with this part of the wind. */
const CLOUD_DRIFT = 0.35;

/** @param clutter 0.6 for little cirrus, 1 for some, 1.4 for much */
export function makeScenery(seed: number, clutter: number, { drift }: WindModel): Scenery {
  const draw = sequence(seed + 71);
  const rivers = Array.from({ length: 2 }, () => ({
    angle: Math.PI * draw(),
    offset: 600 * (draw() - 0.5),
    seed: seed + 7100 + Math.floor(1000 * draw()),
  }));
  const speed = Math.hypot(...drift);
  const [cos, sin] = [drift[0] / speed, drift[1] / speed];

  return {
    fill(column, places, seconds) {
      const { groundX: x, groundY: y } = places;
      column.vapour = 0.65 + 0.35 * fractalNoise(x / 600, y / 600, seed + 81);
      let surface = 286 - 0.006 * y + 1.5 * fractalNoise(x / 500, y / 500, seed + 82);
      const isLand = fractalNoise(x / 700, y / 700, seed + 83, 6, 0.55) > 0.05;
      if (isLand) {
        surface +=
          2.5 + 3 * valueNoise(x / 900, y / 900, seed + 84) + 2 * fractalNoise(x / 60, y / 60, seed + 85);
        for (const river of rivers) {
          const along = x * Math.cos(river.angle) + y * Math.sin(river.angle);
          const across = -x * Math.sin(river.angle) + y * Math.cos(river.angle);
          const bank = across - river.offset - 40 * fractalNoise(along / 120, 0, river.seed, 3);
          surface -= 3 * Math.exp(-((bank / 2.2) ** 2) / 2);
        }
      }
      column.surfaceK = surface;
      column.landShare = isLand ? 1 : 0;

      const cloudX = places.cloudX - CLOUD_DRIFT * drift[0] * seconds;
      const cloudY = places.cloudY - CLOUD_DRIFT * drift[1] * seconds;
      const cover = 9 * (fractalNoise(cloudX / 180, cloudY / 180, seed + 91, 6, 0.6) - 0.22);
      column.cloudCover = Math.min(1, Math.max(0, cover));
      column.cloudK = 277 + 5 * valueNoise(cloudX / 240, cloudY / 240, seed + 92);

      const cirrusX = places.cirrusX - drift[0] * seconds;
      const cirrusY = places.cirrusY - drift[1] * seconds;
      const a = cirrusX * cos + cirrusY * sin;
      const b = -cirrusX * sin + cirrusY * cos + 25 * valueNoise(cirrusX / 260, cirrusY / 260, seed + 101);
      const sheet = Math.max(0, fractalNoise(a / 420, b / 170, seed + 102, 5) - 0.22 + 0.1 * (clutter - 1));
      const fibres = 0.5 + 0.5 * fractalNoise(a / 130, b / 9, seed + 103, 3);
      const streaks = Math.max(0, fractalNoise(a / 90, b / 6, seed + 104, 2) - 0.25);
      const zone = Math.max(0, fractalNoise(a / 500, b / 260, seed + 105, 2) + 0.05);
      column.cirrusTau = clutter * (5 * sheet * (0.35 + 1.3 * fibres * fibres) + 2.2 * zone * streaks);
      column.cirrusK = 222 + 8 * valueNoise(a / 300, b / 300, seed + 106);
      column.cirrusBeta = 1.085 + 0.045 * valueNoise(a / 350, b / 350, seed + 107);
    },
  };
}

export function emptyColumn(): Column {
  return {
    surfaceK: 0,
    landShare: 0,
    vapour: 0,
    cloudCover: 0,
    cloudK: 0,
    cirrusTau: 0,
    cirrusK: 0,
    cirrusBeta: 0,
  };
}
