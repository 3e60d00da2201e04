/** Weights of the ridge detector's probabilities; they depend on the sensor and are refitted where labels exist. */
import { createHash } from 'node:crypto';
import { UsageError } from '@contrails/runtime';

export interface RidgeWeights {
  /** Constant, ln(0.2 + Z), ln(0.02 + κ). */
  readonly pixel: readonly [number, number, number];
  /** Constant, ln L, ln(L/W), mean ln(0.02 + κ), mean ln(0.2 + Z), ln(1 + crowding). */
  readonly object: readonly [number, number, number, number, number, number];
}

/** Fitted on synthetic scenes; the ratio κ of the two responses carries the microphysics. */
export const DEFAULT_WEIGHTS: RidgeWeights = {
  pixel: [-1.41, 2.25, 1.57],
  object: [3.79, 0.47, 1.69, 5.94, 0.81, -1.3],
};

/** For a sensor whose difference of window channels is not trusted. */
export const WEIGHTS_WITHOUT_KAPPA: RidgeWeights = {
  pixel: [-4.24, 1.94, 0],
  object: [-10.9, 0.15, 2.52, 0, 2.13, -2.17],
};

/** Weights from the content of `detector-weights.json`: `{"pixel": [3 numbers], "object": [6 numbers]}`. */
export function parseWeights(text: string, path: string): RidgeWeights {
  const example = JSON.stringify(DEFAULT_WEIGHTS);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON; write weights as ${example}`, { cause: error });
  }
  const { pixel, object } = (parsed ?? {}) as Record<string, unknown>;
  if (isNumbers(pixel, 3) && isNumbers(object, 6)) return { pixel, object } as unknown as RidgeWeights;
  throw new UsageError(
    `${path} must hold three weights of pixels and six of objects; write them as ${example}`,
  );
}

function isNumbers(value: unknown, length: number): value is readonly number[] {
  return Array.isArray(value) && value.length === length && value.every((item) => Number.isFinite(item));
}

export function hashOf(weights: RidgeWeights): string {
  const text = JSON.stringify([weights.pixel, weights.object]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
