export { type CdaSettings, cdaDetector } from './cda.ts';
export {
  type Detection,
  type DetectOptions,
  type Detector,
  detectWithFallback,
  type NamedDetection,
} from './detector.ts';
export { lineSupport } from './long-lines.ts';
export { type ModelManifest, onnxDetector } from './onnx.ts';
export { pixelStage, type RidgeSettings, ridgeDetector } from './ridge.ts';
export { longFeatures, ridgeLongDetector } from './ridge-long.ts';
export { DEFAULT_WEIGHTS, parseWeights, type RidgeWeights, WEIGHTS_WITHOUT_KAPPA } from './weights.ts';
