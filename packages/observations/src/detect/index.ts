export { type CdaSettings, cdaDetector } from './cda.ts';
export {
  type Detection,
  type DetectOptions,
  type Detector,
  detectWithFallback,
  type NamedDetection,
} from './detector.ts';
export { type ModelManifest, onnxDetector } from './onnx.ts';
export { type RidgeSettings, ridgeDetector } from './ridge.ts';
export { DEFAULT_WEIGHTS, parseWeights, type RidgeWeights, WEIGHTS_WITHOUT_KAPPA } from './weights.ts';
