export { FrameError, type FrameErrorReason } from './errors.ts';
export {
  BAND_ROLES,
  type BandRole,
  DEFAULT_MAX_VIEW_ZENITH_DEG,
  FRAME_STEP_MS,
  type Frame,
  frameTimeOf,
  INSTRUMENTS,
  type Instrument,
  l1FileName,
  SCAN_SECONDS,
  scanOffsetsOf,
} from './frame.ts';
