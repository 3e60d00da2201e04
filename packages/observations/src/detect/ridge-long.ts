/**
 * The built-in detector with a longer view: the probability of a pixel also depends on how far its line goes on, and so does
 * that of an object. The rest is that of `ridge`.
 */
import { createHash } from 'node:crypto';
import type { Detector } from './detector.ts';
import { type LineSupport, lineSupport } from './long-lines.ts';
import { objectProbabilities } from './object-probability.ts';
import {
  clearStationary,
  drawObjects,
  earlierMsOf,
  objectsOf,
  pixelStage,
  type RidgeSettings,
} from './ridge.ts';
import { DEFAULT_WEIGHTS } from './weights.ts';

const RIDGE_LONG_VERSION = '1.0';

/** Constant, logit of the pixel's own probability, ln(0.02 + support). */
type LongWeights = readonly [number, number, number];

/** By `node bench/programs/fit-ridge-long.ts`. */
const LONG_WEIGHTS: LongWeights = [1.33, 0.57, 0.98];

const SUPPORT_OFFSET = 0.02;
/** An object is judged as a whole: its probability counts for more than those of its pixels. */
const SHARE_OF_OBJECT = 0.7;

export function ridgeLongDetector(settings: Omit<RidgeSettings, 'weights'> = {}): Detector {
  return {
    name: 'ridge-long',
    version: RIDGE_LONG_VERSION,
    bands: ['T11', 'T12'],
    weightsHash: createHash('sha256')
      .update(JSON.stringify([DEFAULT_WEIGHTS.pixel, DEFAULT_WEIGHTS.object, LONG_WEIGHTS]))
      .digest('hex')
      .slice(0, 16),
    earlierMs: earlierMsOf(settings),
    detect: async (frame, earlier = [], options) => {
      const stage = await pixelStage(frame, settings, options);
      applySupport(stage.probability, lineSupport(stage), LONG_WEIGHTS);
      const objects = objectsOf(stage);
      const probabilities = objectProbabilities(stage, objects, DEFAULT_WEIGHTS);
      const still = clearStationary(frame, earlier, objects, probabilities, settings);
      return { ...drawObjects(stage, objects, probabilities, together), ...still };
    },
  };
}

function together(ofObject: number, ofPixel: number): number {
  return ofObject ** SHARE_OF_OBJECT * ofPixel ** (1 - SHARE_OF_OBJECT);
}

/** What a pixel is judged by; weights are fitted to these. */
export function longFeatures(probability: number, support: number): [number, number, number] {
  return [1, logitOf(probability), Math.log(SUPPORT_OFFSET + support)];
}

/** A probability of one in float32 has no logit. */
const MAX_PROBABILITY = 1 - 1e-6;

function logitOf(probability: number): number {
  const limited = Math.min(probability, MAX_PROBABILITY);
  return Math.log(limited / (1 - limited));
}

function applySupport(
  probability: Float32Array,
  { pixels, support }: LineSupport,
  [constant, ofLogit, ofSupport]: LongWeights,
): void {
  for (let k = 0; k < pixels.length; k++) {
    const pixel = pixels[k] as number;
    const exponent =
      constant +
      ofLogit * logitOf(probability[pixel] as number) +
      ofSupport * Math.log(SUPPORT_OFFSET + (support[k] as number));
    probability[pixel] = 1 / (1 + Math.exp(-exponent));
  }
}
