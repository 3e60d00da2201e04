import { timeText } from '../text.ts';
import { titleOf } from './layer-names.ts';
import type { MapState } from './map-state.ts';

interface MapTitleProps {
  /** What was asked for. */
  readonly state: MapState;
  readonly timeMs: number;
  /** Level and hour of what is on the map; undefined while nothing of it is. */
  readonly shown: { readonly flightLevel: number; readonly timeMs: number } | undefined;
  readonly isLoading: boolean;
  readonly source: string;
  /** Whether this device has computed it. */
  readonly isHere: boolean;
  /** Saves the map with title and legend; undefined while there is none. */
  readonly onPicture: (() => void) | undefined;
}

/** What the map shows: field, level, time and run; and what it waits for. */
export function MapTitle({ state, timeMs, shown, isLoading, source, isHere, onPicture }: MapTitleProps) {
  const name = titleOf(state, isHere);
  const { flightLevel } = state;
  const at = shown ?? { flightLevel, timeMs };
  return (
    <section class="map-title" aria-label="What the map shows">
      <h2>{name}</h2>
      <p>
        FL{at.flightLevel}, {timeText(at.timeMs)}
      </p>
      <small>{source}</small>
      <button type="button" class="quiet" disabled={onPicture === undefined} onClick={onPicture}>
        Save PNG
      </button>
      <p class="waiting" role="status">
        {isLoading && waitingText(name, state, timeMs, shown)}
      </p>
    </section>
  );
}

function waitingText(
  name: string,
  { flightLevel }: MapState,
  timeMs: number,
  shown: MapTitleProps['shown'],
): string {
  if (shown === undefined) return `Waiting for ${name.slice(0, 1).toLowerCase()}${name.slice(1)}…`;
  const parts = [
    ...(shown.flightLevel === flightLevel ? [] : [`FL${flightLevel}`]),
    ...(shown.timeMs === timeMs ? [] : [timeText(timeMs)]),
  ];
  return `Waiting for ${parts.length === 0 ? 'the layers' : parts.join(', ')}…`;
}
