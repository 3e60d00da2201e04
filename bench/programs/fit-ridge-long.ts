/**
 * Fits the weights of the detector `ridge-long` by logistic regression on the true pixels of synthetic scenes of the set
 * `development`, and prints them. Scenes of the set `held-out` are not used.
 *
 * Usage: node bench/programs/fit-ridge-long.ts [scenes of each group]
 */
import { lineSupport, longFeatures, pixelStage } from '@contrails/observations/detect';
import type { Frame } from '@contrails/observations/frame';
import { SCENE_GROUPS, sceneOf } from '../support/scenes.ts';

const FRAMES = [1, 5];
/** Uses one in so many of the pixels that may belong to a line: neighbours are redundant. */
const EVERY = 5;
const ROUNDS = 30;

type Features = readonly [number, number, number];

export class PixelFit {
  private readonly features: Features[] = [];
  private readonly truth: number[] = [];

  async add(frame: Frame, mask: Uint8Array): Promise<void> {
    const stage = await pixelStage(frame);
    const { pixels, support } = lineSupport(stage);
    for (let k = 0; k < pixels.length; k += EVERY) {
      const pixel = pixels[k] as number;
      this.features.push(longFeatures(stage.probability[pixel] as number, support[k] as number));
      this.truth.push(mask[pixel] as number);
    }
  }

  /** Newton's method on the likelihood, which has one maximum. */
  weights(): Features {
    let weights: Features = [0, 0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const gradient = [0, 0, 0];
      const curvature = [
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ];
      this.features.forEach((x, i) => {
        const p = 1 / (1 + Math.exp(-dot(x, weights)));
        for (const a of [0, 1, 2] as const) {
          gradient[a] = (gradient[a] as number) + ((this.truth[i] as number) - p) * x[a];
          const row = curvature[a] as number[];
          for (const b of [0, 1, 2] as const) row[b] = (row[b] as number) + p * (1 - p) * x[a] * x[b];
        }
      });
      const step = solved(curvature, gradient);
      weights = [weights[0] + step[0], weights[1] + step[1], weights[2] + step[2]];
    }
    return weights;
  }

  get count(): number {
    return this.features.length;
  }
}

function dot(a: Features, b: Features): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** By Cramer's rule. */
function solved(rows: readonly (readonly number[])[], right: readonly number[]): Features {
  const determinant = (m: readonly (readonly number[])[]) => {
    const [[a = 0, b = 0, c = 0] = [], [d = 0, e = 0, f = 0] = [], [g = 0, h = 0, i = 0] = []] = m;
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  };
  const whole = determinant(rows);
  const part = (column: number) =>
    determinant(rows.map((row, r) => row.map((value, c) => (c === column ? (right[r] as number) : value)))) /
    whole;
  return [part(0), part(1), part(2)];
}

if (import.meta.main) {
  const perGroup = Number(process.argv[2] ?? '2');
  const fit = new PixelFit();
  for (const group of SCENE_GROUPS) {
    for (let k = 0; k < perGroup; k++) {
      const scene = sceneOf('development', group, k);
      for (const index of FRAMES) {
        const { frame, mask } = scene.frame(index);
        await fit.add(frame, mask);
      }
    }
  }
  const weights = fit.weights().map((weight) => Number(weight.toFixed(2)));
  console.log(JSON.stringify({ pixels: fit.count, weights }));
}
