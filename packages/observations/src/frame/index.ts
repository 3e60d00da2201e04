export { FrameError, type FrameErrorReason } from './errors.ts';
export { FRAME_STEP_MS, type Frame, frameTimeOf, type Instrument, scanOffsetsOf } from './frame.ts';
