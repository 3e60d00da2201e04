export { FrameError, type FrameErrorReason } from './errors.ts';
export {
  FRAME_STEP_MS,
  type Frame,
  frameTimeOf,
  INSTRUMENTS,
  type Instrument,
  scanOffsetsOf,
} from './frame.ts';
