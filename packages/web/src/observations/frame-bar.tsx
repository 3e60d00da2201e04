import type { Frame } from './load-observations.ts';
import { isServed } from './load-observations.ts';

const STATES: Readonly<Record<Frame['state'], string>> = {
  collecting: 'is being received',
  queued: 'waits for detection',
  done: 'is ready',
  quarantined: 'cannot be used',
};

interface FrameBarProps {
  readonly frames: readonly Frame[];
  readonly index: number;
  readonly onIndex: (index: number) => void;
}

/** The images of a day on a bar of time: which are there, and which one is shown. */
export function FrameBar({ frames, index, onIndex }: FrameBarProps) {
  const frame = frames[index];
  if (frame === undefined) return null;
  return (
    <div class="frame-bar">
      <button
        type="button"
        aria-label="Earlier image"
        disabled={index === 0}
        onClick={() => onIndex(index - 1)}
      >
        ‹
      </button>
      <label>
        <span>
          <b>{frame.time.slice(11, 16)} UTC</b> {sentenceOf(frame)}
        </span>
        <input
          type="range"
          aria-label="Image"
          aria-valuetext={`${frame.time.slice(11, 16)} UTC`}
          min={0}
          max={frames.length - 1}
          value={index}
          onInput={(event) => onIndex(Number(event.currentTarget.value))}
        />
        <span class="frame-states" aria-hidden="true">
          {frames.map((one) => (
            <i key={one.time} class={isServed(one) ? 'done' : one.state} />
          ))}
        </span>
      </label>
      <button
        type="button"
        aria-label="Later image"
        disabled={index === frames.length - 1}
        onClick={() => onIndex(index + 1)}
      >
        ›
      </button>
    </div>
  );
}

function sentenceOf({ state, reason, segments, segment_length_m: length, is_synthetic: isSynthetic }: Frame) {
  if (segments === null)
    return `${STATES[state]}${reason === null ? '' : `: ${reason.replaceAll('-', ' ')}`}`;
  const lines = segments === 1 ? '1 line' : `${segments} lines`;
  const km = length === null ? '' : ` of ${Math.round(length / 1000).toLocaleString('en')} km`;
  return `${lines}${km}${isSynthetic ? ', made-up image' : ''}`;
}
