import { useEffect } from 'preact/hooks';
import { PlayButton } from '../shell/play-button.tsx';
import { hourText } from './map-state.ts';
import { nextPlayed, type TimelineHour } from './timeline-hours.ts';

interface TimelineProps {
  readonly hours: readonly TimelineHour[];
  readonly timeMs: number;
  readonly isPlaying: boolean;
  /** Whether the hour is still being loaded; playing waits for it. */
  readonly isLoading: boolean;
  readonly onChange: (timeMs: number) => void;
  readonly onPlay: (isPlaying: boolean) => void;
}

const STEP_MS = 650;

/** The hours of the forecast with what is computed, running and missing; plays through those that are computed. */
export function Timeline({ hours, timeMs, isPlaying, isLoading, onChange, onPlay }: TimelineProps) {
  const index = hours.findIndex((hour) => hour.timeMs === timeMs);

  useEffect(() => {
    if (!isPlaying || isLoading) return;
    const timer = setTimeout(() => {
      const next = nextPlayed(hours, index);
      if (next === undefined) onPlay(false);
      else onChange(next);
    }, STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, isLoading, index, hours, onChange, onPlay]);

  if (hours.length === 0) return <div class="timeline" aria-busy="true" />;
  const shown = hours[index];
  return (
    <div class="timeline">
      <PlayButton name="Play the hours" isPlaying={isPlaying} onPlay={onPlay} />
      <div class="hours">
        <div class="hour-states" aria-hidden="true">
          {hours.map((hour) => (
            <span
              key={hour.timeMs}
              class={`${hour.state}${hour.timeMs === timeMs ? ' current' : ''}`}
              title={`${dayText(hour.timeMs)} ${clockText(hour.timeMs)} UTC: ${STATE_NAMES[hour.state]}`}
            >
              <i>{labelOf(hour.timeMs)}</i>
            </span>
          ))}
        </div>
        <input
          type="range"
          aria-label="Hour"
          aria-valuetext={`${dayText(timeMs)} ${clockText(timeMs)} UTC, ${STATE_NAMES[shown?.state ?? 'missing']}`}
          min={0}
          max={hours.length - 1}
          step={1}
          value={index}
          onInput={(event) => {
            const chosen = hours[Number(event.currentTarget.value)];
            if (chosen !== undefined) onChange(chosen.timeMs);
          }}
        />
      </div>
      <output>
        {clockText(timeMs)}
        <small>{dayText(timeMs)} UTC</small>
      </output>
    </div>
  );
}

const STATE_NAMES: Readonly<Record<TimelineHour['state'], string>> = {
  published: 'computed',
  running: 'being computed',
  planned: 'planned',
  failed: 'failed',
  missing: 'not planned',
};

function clockText(timeMs: number): string {
  return `${hourText(timeMs).slice(11)}:00`;
}

function dayText(timeMs: number): string {
  return new Date(timeMs).toLocaleDateString('en', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
}

function labelOf(timeMs: number): string {
  const hour = new Date(timeMs).getUTCHours();
  return hour % 3 === 0 ? String(hour).padStart(2, '0') : '';
}
