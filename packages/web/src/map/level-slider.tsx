import type { FlightLevel } from '@contrails/client';
import { FLIGHT_LEVELS } from './map-state.ts';

interface LevelSliderProps {
  readonly level: FlightLevel;
  /** Whether the level is not shown yet. */
  readonly isLoading: boolean;
  readonly onChange: (level: FlightLevel) => void;
}

const [LOWEST = 270, HIGHEST = 440] = [FLIGHT_LEVELS[0], FLIGHT_LEVELS.at(-1)];

/** Flight level, by pointer or arrow keys. */
export function LevelSlider({ level, isLoading, onChange }: LevelSliderProps) {
  return (
    <div class="level-slider">
      <output class={isLoading ? 'pending' : undefined}>
        FL{level}
        <small>{Math.round(level * 0.03048 * 10) / 10} km</small>
      </output>
      <input
        type="range"
        aria-label="Flight level"
        aria-valuetext={`Flight level ${level}, ${(level * 100).toLocaleString('en')} feet`}
        aria-orientation="vertical"
        min={LOWEST}
        max={HIGHEST}
        step={10}
        value={level}
        onInput={(event) => {
          const chosen = FLIGHT_LEVELS.find((one) => one === Number(event.currentTarget.value));
          if (chosen !== undefined) onChange(chosen);
        }}
      />
    </div>
  );
}
