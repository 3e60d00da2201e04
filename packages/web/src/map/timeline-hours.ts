import { HOUR_MS } from './map-state.ts';

/** An hour that can be shown, and what the service has of its forecast. */
export interface TimelineHour {
  readonly timeMs: number;
  readonly state: 'published' | 'running' | 'planned' | 'failed' | 'missing';
  /** Flight levels of the forecast that are served. */
  readonly levels: readonly number[];
}

/** The next hour that is computed, from the beginning again after the last. */
export function nextPlayed(hours: readonly TimelineHour[], index: number): number | undefined {
  const inOrder = [...hours.slice(index + 1), ...hours.slice(0, index)];
  return inOrder.find(({ state }) => state === 'published')?.timeMs;
}

/** Hours of the newest run from the list of runs, in between without gaps. */
export function timelineHours(
  known: readonly {
    readonly time: string;
    readonly state: string;
    readonly flight_levels: readonly number[];
  }[],
  nowMs: number,
): TimelineHour[] {
  const byTime = new Map(known.map((hour) => [Date.parse(hour.time), hour]));
  const current = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const times = [...byTime.keys(), current];
  const [first, last] = [Math.min(...times), Math.max(...times)];
  return Array.from({ length: Math.round((last - first) / HOUR_MS) + 1 }, (_, k) => {
    const timeMs = first + k * HOUR_MS;
    const { state = '', flight_levels: levels = [] } = byTime.get(timeMs) ?? {};
    const isKnown = state === 'published' || state === 'running' || state === 'planned' || state === 'failed';
    return { timeMs, state: isKnown ? state : 'missing', levels };
  });
}
