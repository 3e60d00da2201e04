import { useEffect } from 'preact/hooks';
import { PlayButton } from '../shell/play-button.tsx';
import { MINUTE_MS } from './live-state.ts';
import { clockText } from './sky-text.ts';

interface SkyTimelineProps {
  readonly nowMs: number;
  /** How far back it reaches. */
  readonly hours: number;
  /** The minute that is shown; undefined for now. */
  readonly timeMs: number | undefined;
  readonly isPlaying: boolean;
  /** Whether the minute is still being loaded; playing waits for it. */
  readonly isLoading: boolean;
  readonly onChange: (timeMs: number | undefined) => void;
  readonly onPlay: (isPlaying: boolean) => void;
}

const STEP_MS = 180;

/** The last hours, minute by minute, up to now. */
export function SkyTimeline({
  nowMs,
  hours,
  timeMs,
  isPlaying,
  isLoading,
  onChange,
  onPlay,
}: SkyTimelineProps) {
  const currentMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const minutes = 60 * hours;
  const back = timeMs === undefined ? 0 : Math.min(Math.max((currentMs - timeMs) / MINUTE_MS, 0), minutes);

  useEffect(() => {
    if (!isPlaying || isLoading) return;
    const timer = setTimeout(() => {
      const next = (timeMs ?? currentMs) + MINUTE_MS;
      if (timeMs === undefined) onChange(currentMs - minutes * MINUTE_MS + MINUTE_MS);
      else if (next < currentMs) onChange(next);
      else {
        onChange(undefined);
        onPlay(false);
      }
    }, STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, isLoading, timeMs, currentMs, minutes, onChange, onPlay]);

  return (
    <div class="timeline">
      <PlayButton name="Play the last hours" isPlaying={isPlaying} onPlay={onPlay} />
      <div class="hours">
        <input
          type="range"
          aria-label="Minute"
          aria-valuetext={timeMs === undefined ? 'now' : `${clockText(timeMs)} UTC`}
          min={-minutes}
          max={0}
          step={1}
          value={-back}
          onInput={({ currentTarget: { value } }) => {
            onPlay(false);
            onChange(Number(value) === 0 ? undefined : currentMs + Number(value) * MINUTE_MS);
          }}
        />
      </div>
      <output>
        {clockText(timeMs ?? nowMs)}
        <small>{timeMs === undefined ? 'UTC, now' : 'UTC'}</small>
      </output>
      <button
        type="button"
        disabled={timeMs === undefined}
        onClick={() => {
          onPlay(false);
          onChange(undefined);
        }}
      >
        Now
      </button>
    </div>
  );
}
