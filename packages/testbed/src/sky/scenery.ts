/** What lies below contrails: sea and land, low cloud and cirrus, for every pixel of a row. */
import { fractalNoise, hash, sequence, valueNoise } from './noise.ts';
import type { WindModel } from './winds.ts';

/** Positions of a pixel in the local plane [km] if what it shows is on the ground, in low cloud or in cirrus. */
export interface PixelPositions {
  readonly groundX: number;
  readonly groundY: number;
  readonly cloudX: number;
  readonly cloudY: number;
  readonly cirrusX: number;
  readonly cirrusY: number;
}

/** Ground below a pixel, which stands still. */
export interface Ground {
  surfaceK: number;
  landShare: number;
  /** Scales what water vapour takes away. */
  vapour: number;
  /** What the ground emits less at 12 µm than at 11 µm [K]. */
  soilK: number;
}

/** Clouds above a pixel, which move. */
export interface Clouds {
  cloudCover: number;
  cloudK: number;
  cirrusTau: number;
  cirrusK: number;
  cirrusBeta: number;
}

/** What radiation meets on its way up at a pixel. */
export interface Column extends Ground, Clouds {}

export interface Scenery {
  fillGround(ground: Ground, positions: PixelPositions): void;
  /** Clouds at a time [s after the first frame]. */
  fillClouds(clouds: Clouds, positions: PixelPositions, seconds: number): void;
}

export interface SceneryLook {
  /** Cirrus: 0.6 little, 1 some, 1.4 much. */
  readonly clutter: number;
  /**
   * True for a sky that differs from place to place and from hour to hour: smooth cirrus in systems with clear sky between,
   * texture of land and sea, and valleys that look like contrails but for standing still.
   */
  readonly isVaried?: boolean;
}

/** Low cloud moves with this part of the wind. */
const CLOUD_DRIFT = 0.35;
const RIVERS = 2;
/** Eddies of the sea and patches of the land [K]. */
const TEXTURE_K = 0.8;
/** One valley in each square of this side at most [km]. */
const VALLEY_KM = 160;
const VALLEY_SHARE = 0.02;

export function makeScenery(
  seed: number,
  { clutter, isVaried = false }: SceneryLook,
  { drift }: WindModel,
): Scenery {
  const draw = sequence(seed + 71);
  const rivers = Array.from({ length: RIVERS }, () => ({
    angle: Math.PI * draw(),
    offset: 600 * (draw() - 0.5),
    seed: seed + 7100 + Math.floor(1000 * draw()),
  }));
  const speed = Math.hypot(...drift);
  const [cos, sin] = [drift[0] / speed, drift[1] / speed];

  const narrow = (a: number, b: number) => fractalNoise(a / 130, b / 9, seed + 103, 3);
  const wide = (a: number, b: number) => fractalNoise(a / 130, b / 24, seed + 103, 2);
  const streaksAt = (a: number, b: number) => {
    if (isVaried) return 0;
    const streaks = Math.max(0, fractalNoise(a / 90, b / 6, seed + 104, 2) - 0.25);
    return 2.2 * Math.max(0, fractalNoise(a / 500, b / 260, seed + 105, 2) + 0.05) * streaks;
  };

  return {
    fillGround(ground, { groundX: x, groundY: y }) {
      ground.vapour = 0.65 + 0.35 * fractalNoise(x / 600, y / 600, seed + 81);
      ground.soilK = 0;
      let surface = 286 - 0.006 * y + 1.5 * fractalNoise(x / 500, y / 500, seed + 82);
      if (isVaried) surface += TEXTURE_K * fractalNoise(x / 12, y / 12, seed + 87, 3);
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
        if (isVaried) {
          const depth = valleyDepth(x, y, seed + 86);
          surface -= 2.5 * depth;
          ground.soilK = 0.6 * depth;
        }
      }
      ground.surfaceK = surface;
      ground.landShare = isLand ? 1 : 0;
    },

    fillClouds(clouds, positions, seconds) {
      const cloudX = positions.cloudX - CLOUD_DRIFT * drift[0] * seconds;
      const cloudY = positions.cloudY - CLOUD_DRIFT * drift[1] * seconds;
      const cover = isVaried
        ? 4 * (fractalNoise(cloudX / 180, cloudY / 180, seed + 91, 6, 0.5) - 0.22)
        : 9 * (fractalNoise(cloudX / 180, cloudY / 180, seed + 91, 6, 0.6) - 0.22);
      clouds.cloudCover = Math.min(1, Math.max(0, cover));
      clouds.cloudK = 277 + 5 * valueNoise(cloudX / 240, cloudY / 240, seed + 92);

      const cirrusX = positions.cirrusX - drift[0] * seconds;
      const cirrusY = positions.cirrusY - drift[1] * seconds;
      const a = cirrusX * cos + cirrusY * sin;
      const b = -cirrusX * sin + cirrusY * cos + 25 * valueNoise(cirrusX / 260, cirrusY / 260, seed + 101);
      const share = isVaried ? systemShare(a, b, seed + 108) : 1;
      clouds.cirrusTau = 0;
      if (share > 0) {
        const sheet = Math.max(0, fractalNoise(a / 420, b / 170, seed + 102, 5) - 0.22 + 0.1 * (clutter - 1));
        const fibres = 0.5 + 0.5 * (isVaried ? wide(a, b) : narrow(a, b));
        clouds.cirrusTau = share * clutter * (5 * sheet * (0.35 + 1.3 * fibres * fibres) + streaksAt(a, b));
      }
      clouds.cirrusK = 222 + 8 * valueNoise(a / 300, b / 300, seed + 106);
      clouds.cirrusBeta = 1.085 + 0.045 * valueNoise(a / 350, b / 350, seed + 107);
    },
  };
}

/** Systems of cirrus are some 800 km wide, with clear sky between them: 0 outside, 1 inside. */
function systemShare(a: number, b: number, seed: number): number {
  return Math.min(1, Math.max(0, 2 * (fractalNoise(a / 800, b / 600, seed, 2) - 0.2)));
}

/** How deep a position lies in a straight valley, 0 … 1: narrow, and as long as contrails. */
function valleyDepth(x: number, y: number, seed: number): number {
  const [ix, iy] = [Math.floor(x / VALLEY_KM), Math.floor(y / VALLEY_KM)];
  let deepest = 0;
  for (let i = ix - 1; i <= ix + 1; i++) {
    for (let k = iy - 1; k <= iy + 1; k++) {
      if (hash(i, k, seed) > VALLEY_SHARE) continue;
      const angle = Math.PI * hash(i, k, seed + 1);
      const dx = x - (i + hash(i, k, seed + 2)) * VALLEY_KM;
      const dy = y - (k + hash(i, k, seed + 3)) * VALLEY_KM;
      const along = dx * Math.cos(angle) + dy * Math.sin(angle);
      const across = -dx * Math.sin(angle) + dy * Math.cos(angle);
      const half = 25 + 50 * hash(i, k, seed + 4);
      const width = 1.2 + 1.3 * hash(i, k, seed + 5);
      const end = Math.min(1, Math.max(0, (half - Math.abs(along)) / 10));
      deepest = Math.max(deepest, end * Math.exp(-((across / width) ** 2) / 2));
    }
  }
  return deepest;
}

export function emptyColumn(): Column {
  return {
    surfaceK: 0,
    landShare: 0,
    vapour: 0,
    soilK: 0,
    cloudCover: 0,
    cloudK: 0,
    cirrusTau: 0,
    cirrusK: 0,
    cirrusBeta: 0,
  };
}
