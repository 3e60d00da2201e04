/** What the map showed last: a visit to another view ends where it began. */
import type { Camera } from '../stage/stage.ts';
import { formatMapState, INITIAL_STATE, type MapState } from './map-state.ts';

interface Remembered {
  readonly state: MapState;
  readonly camera: Camera | undefined;
}

let remembered: Remembered | undefined;

export function rememberMap(state: MapState, camera: Camera | undefined): void {
  remembered = { state, camera };
}

export function lastMap(): Remembered | undefined {
  return remembered;
}

/** A link to the map as it was, but for some changes and another place. */
export function mapLink(change: Partial<MapState>, camera: Camera): URLSearchParams {
  return formatMapState({ ...(remembered?.state ?? INITIAL_STATE), ...change }, camera);
}
