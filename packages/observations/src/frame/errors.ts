import { ContrailsError, type Facts } from '@contrails/runtime';

/**
 * Why imagery cannot be used:
 * - `unreadable`: it is cut, damaged or of an unknown format;
 * - `missing-band`, `missing-variable`, `missing-segment`: part of the frame is not there;
 * - `duplicate-band`: two files hold the same part;
 * - `mixed-times`, `mixed-grids`, `mixed-satellites`: its files belong to different frames;
 * - `wrong-projection`: the projection or the axes are not those of a geostationary fixed grid;
 * - `wrong-sector`: it is not a full disk of ten minutes, nor a part of one, and its rows have other scan times;
 * - `satellite-moved`: the satellite is not at the longitude that its grid is known by;
 * - `no-valid-pixels`: every pixel is a fill value or bad;
 * - `from-the-future`: it was scanned after now.
 */
export type FrameErrorReason =
  | 'unreadable'
  | 'missing-band'
  | 'missing-variable'
  | 'missing-segment'
  | 'duplicate-band'
  | 'mixed-times'
  | 'mixed-grids'
  | 'mixed-satellites'
  | 'wrong-projection'
  | 'wrong-sector'
  | 'satellite-moved'
  | 'no-valid-pixels'
  | 'from-the-future';

/** Imagery that cannot be used. The message names the file and the remedy; `reason` is for quarantine lists. */
export class FrameError extends ContrailsError {
  readonly reason: FrameErrorReason;

  constructor(
    reason: FrameErrorReason,
    message: string,
    facts: Facts = {},
    options: { cause?: unknown } = {},
  ) {
    super(message, { ...options, facts: { reason, ...facts } });
    this.name = 'FrameError';
    this.reason = reason;
  }
}
