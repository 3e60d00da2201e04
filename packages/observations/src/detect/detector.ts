import type { Compute } from '@contrails/runtime/compute';
import type { BandRole, Frame } from '../frame/index.ts';

/** Per-pixel confidence of one frame; arrays have the shape of its grid. */
export interface Detection {
  /** 0 … 1, 0 on invalid pixels. */
  readonly confidence: Float32Array;
  /** 1 where a pixel was used, 0 elsewhere. */
  readonly valid: Uint8Array;
  /** Lines that were left out because they stand still; undefined where that was not looked for. */
  readonly stationary?: number;
}

export interface DetectOptions {
  /** Where tiles run; in the calling thread without. */
  readonly compute?: Compute;
  readonly signal?: AbortSignal;
}

/** Finds contrails in a frame. What comes after, files, segments and attributions, depends on this interface only. */
export interface Detector {
  readonly name: string;
  readonly version: string;
  readonly bands: readonly BandRole[];
  /** Identifies weights or model; equal results need equal values. */
  readonly weightsHash: string;
  /** How long before a frame its earlier frames are [ms], each at exactly that time. */
  readonly earlierMs: readonly number[];
  detect(frame: Frame, earlier?: readonly Frame[], options?: DetectOptions): Promise<Detection>;
}

/** A detection with the name and version of the detector that made it, as products report it. */
export interface NamedDetection extends Detection {
  readonly detector: string;
  readonly weightsHash: string;
}

/** Detects with the first detector, and with the other where that fails; the name then says so. */
export async function detectWithFallback(
  detector: Detector,
  fallback: Detector,
  frame: Frame,
  earlier: readonly Frame[] = [],
  options: DetectOptions & { readonly onFailure?: (error: unknown) => void } = {},
): Promise<NamedDetection> {
  const nameOf = ({ name, version }: Detector) => `${name} ${version}`;
  const detected = async (used: Detector, detectorName: string): Promise<NamedDetection> => {
    const detection = await used.detect(frame, earlier, options);
    return { ...detection, detector: detectorName, weightsHash: used.weightsHash };
  };
  try {
    return await detected(detector, nameOf(detector));
  } catch (error) {
    options.signal?.throwIfAborted();
    options.onFailure?.(error);
    return detected(fallback, `${nameOf(fallback)} (${nameOf(detector)} failed)`);
  }
}
