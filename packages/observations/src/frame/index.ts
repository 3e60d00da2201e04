export { FrameError, type FrameErrorReason } from './errors.ts';
export { FRAME_STEP_MS, type Frame, frameTimeOf, scanOffsetsOf } from './frame.ts';
