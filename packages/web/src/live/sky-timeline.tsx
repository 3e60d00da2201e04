import { useEffect } from 'preact/hooks';
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
      <button
        type="button"
        class="play"
        aria-pressed={isPlaying}
        aria-label={isPlaying ? 'Pause' : 'Play the last hours'}
        onClick={() => onPlay(!isPlaying)}
      >
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d={isPlaying ? 'M5 4h3.5v12H5zM11.5 4H15v12h-3.5z' : 'M6 3.5v13L16.5 10z'} />
        </svg>
      </button>
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
