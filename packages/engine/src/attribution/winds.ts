/** Weather that exhaust drifts with. */

import { type Met, MetError, type OpenWeather, type WeatherRequest } from '@contrails/met';
import type { FlightPoints } from '@contrails/observations/attribution';
import { metresToFeet } from '@contrails/physics/common';
import { joinRegions, longitudesOf, regionOf } from '../flights/region.ts';
import { asCommandError } from '../weather/errors.ts';
import type { KnownFlight } from './known-flights.ts';

const MARGIN = { levelHpa: 40, degrees: 10 } as const;
/** Weather below the altitude at which flights are followed is not read [hPa]. */
const BOTTOM_HPA = 450;

export function isFollowed(points: KnownFlight['points']): points is FlightPoints {
  return !('reason' in points);
}

/** Where the weather comes from. */
export interface Winds {
  readonly met: { open(): Promise<Met> };
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Winds for what is followed: `missing` where no source has them, `nothing` without flights. */
export async function openWinds(
  services: Winds,
  flights: readonly KnownFlight[],
  span: Span,
  signal: AbortSignal,
): Promise<OpenWeather | 'missing' | 'nothing'> {
  const live = flights.flatMap(({ flight: { columns }, points }) => (isFollowed(points) ? [columns] : []));
  return openWindsAlong(services, live, span, signal);
}

/** The same for points of flights. */
export function openWindsOf(
  services: Winds,
  flights: readonly FlightPoints[],
  span: Span,
  signal: AbortSignal,
): Promise<OpenWeather | 'missing' | 'nothing'> {
  const tracks = flights.map(({ timeMs, longitude, latitude, altitudeM }) => ({
    ...{ timeMs, longitude, latitude },
    altitudeFt: altitudeM.map(metresToFeet),
  }));
  return openWindsAlong(services, tracks, span, signal);
}

type Track = Readonly<Record<'timeMs' | 'longitude' | 'latitude' | 'altitudeFt', Float64Array>>;

async function openWindsAlong(
  { met }: Winds,
  tracks: readonly Track[],
  { fromMs, toMs }: Span,
  signal: AbortSignal,
): Promise<OpenWeather | 'missing' | 'nothing'> {
  const live = tracks.flatMap((track) => {
    const isLive = (ms: number) => ms >= fromMs && ms <= toMs;
    const inside = Array.from(track.timeMs.keys()).filter((i) => isLive(track.timeMs[i] as number));
    if (inside.length === 0) return [];
    const pick = (column: Float64Array) => Float64Array.from(inside, (i) => column[i] as number);
    return [
      regionOf({
        timeMs: pick(track.timeMs),
        longitude: pick(track.longitude),
        latitude: pick(track.latitude),
        altitudeFt: pick(track.altitudeFt),
      }),
    ];
  });
  if (live.length === 0) return 'nothing';
  const { level, latitude, arc } = joinRegions(live);
  const request: WeatherRequest = {
    for: 'drift',
    partial: true,
    time: [fromMs, toMs],
    level: [level[0], Math.min(level[1], BOTTOM_HPA)],
    latitude,
    longitude: longitudesOf(arc),
    margin: MARGIN,
  };
  try {
    const opened = await met.open();
    const choice = await opened.catalogue.choose(request);
    if (!choice.coverage.time) return 'missing';
    return await opened.openWeather(request, { signal, choice });
  } catch (error) {
    if (error instanceof MetError && error.kind === 'outside') return 'missing';
    throw asCommandError(error);
  }
}
