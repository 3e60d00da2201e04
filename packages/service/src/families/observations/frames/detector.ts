/** The configured detector; where a model cannot be opened or fails, the built-in one replaces it and products note that. */

import type { Compute } from '@contrails/engine/compute';
import {
  type Detector,
  detectWithFallback,
  onnxDetector,
  ridgeDetector,
  ridgeLongDetector,
} from '@contrails/observations/detect';
import type { Frame } from '@contrails/observations/frame';
import type { ObservationRules } from '../config.ts';

type DetectorRules = Pick<ObservationRules, 'detector' | 'model' | 'skipsStationary' | 'maxViewZenithDeg'>;

/** Changes when line segments of the same detections do. */
const SEGMENTS_VERSION = '1.0';
/** Changes when other lines are taken for ones that stand still. */
const STATIONARY_VERSION = '1.0';

export interface OpenDetector {
  readonly detector: Detector;
  /** Why it is not the configured one. */
  readonly fallback: string | null;
}

/** Models stay open: to load one takes seconds. */
const models = new Map<string, Promise<OpenDetector>>();

function openDetector({
  detector,
  model,
  skipsStationary,
  maxViewZenithDeg,
}: DetectorRules): Promise<OpenDetector> {
  const settings = { skipsStationary, maxViewZenithDeg };
  if (detector === 'ridge-long') {
    return Promise.resolve({ detector: ridgeLongDetector(settings), fallback: null });
  }
  if (detector === 'ridge' || model === undefined) {
    return Promise.resolve({ detector: ridgeDetector(settings), fallback: null });
  }
  const ridge = ridgeDetector({ maxViewZenithDeg });
  const key = `${model} ${maxViewZenithDeg}`;
  const opened =
    models.get(key) ??
    onnxDetector(model, maxViewZenithDeg).then(
      (onnx) => ({ detector: onnx, fallback: null }),
      (error: unknown) => {
        models.delete(key);
        const message = error instanceof Error ? error.message : String(error);
        return { detector: ridge, fallback: `the model of ${model} cannot be used: ${message}` };
      },
    );
  models.set(key, opened);
  return opened;
}

/** Names the detector with everything of it that results depend on. */
export async function detectorKey(rules: DetectorRules): Promise<string> {
  const { detector } = await openDetector(rules);
  return [
    `${detector.name} ${detector.version}`,
    detector.weightsHash,
    `vza ${rules.maxViewZenithDeg}`,
    `segments ${SEGMENTS_VERSION}`,
    ...(canDoWithout(rules) && rules.skipsStationary ? [`stationary ${STATIONARY_VERSION}`] : []),
  ].join(', ');
}

/** How long before a frame the earlier frames are that the detector reads [ms]. */
export async function earlierFramesMs(rules: DetectorRules): Promise<readonly number[]> {
  return (await openDetector(rules)).detector.earlierMs;
}

/** Whether frames can be processed without earlier ones; a model that uses some needs them. */
export function canDoWithout({ detector }: Pick<ObservationRules, 'detector'>): boolean {
  return detector !== 'onnx';
}

/** Confidence of the pixels of a frame, and which detector it is from. */
export async function detectContrails(
  rules: DetectorRules,
  frame: Frame,
  earlier: readonly Frame[],
  { compute, signal }: { readonly compute: Compute; readonly signal: AbortSignal },
) {
  const { detector, fallback } = await openDetector(rules);
  let failure = fallback;
  const ridge = ridgeDetector({ maxViewZenithDeg: rules.maxViewZenithDeg });
  const detection = await detectWithFallback(detector, ridge, frame, earlier, {
    compute,
    signal,
    onFailure: (error) => {
      failure = `${detector.name} ${detector.version} failed: ${error instanceof Error ? error.message : error}`;
    },
  });
  const used = detection.weightsHash === detector.weightsHash ? detector : ridge;
  return { ...detection, used, fallback: failure };
}
