/** Where and when flights are, as the weather is asked for. */
import type { WeatherRequest } from '@contrails/met';
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import type { FlightWith } from '@contrails/physics/flight';
import { floorMod, wrapLongitude } from '@contrails/physics/numerics';

/** What has to be covered. */
export type Region = Pick<WeatherRequest, 'time' | 'level' | 'latitude'> & {
  /** [°], how far it goes east of its western end. */
  readonly arc: Arc;
};

interface Arc {
  readonly west: number;
  readonly width: number;
}

export function regionOf({ timeMs, longitude, latitude, altitudeFt }: FlightWith<'altitudeFt'>): Region {
  const [south, north] = ends(latitude);
  const [low, high] = ends(altitudeFt);
  return {
    time: [timeMs[0] as number, timeMs.at(-1) as number],
    level: [levelFromAltitudeFt(high), levelFromAltitudeFt(low)],
    latitude: [south, north],
    arc: arcOf(longitude),
  };
}

/** The smallest region that has all of these in it. */
export function joinRegions(regions: readonly Region[]): Region {
  const range = (of: (region: Region) => readonly [number, number]): [number, number] => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const region of regions) {
      const [from, to] = of(region);
      low = Math.min(low, from);
      high = Math.max(high, to);
    }
    return [low, high];
  };
  return {
    time: range(({ time }) => time),
    level: range(({ level }) => level),
    latitude: range(({ latitude }) => latitude),
    arc: joinArcs(regions.map(({ arc }) => arc)),
  };
}

/** West and east end in −180 … 180; west > east crosses the antimeridian. */
export function longitudesOf({ west, width }: Arc): [west: number, east: number] {
  if (width >= 360) return [-180, 180];
  const start = wrapLongitude(west);
  const east = start + width;
  return [start, east > 180 ? east - 360 : east];
}

/**
 * Aircraft take the shorter way between two waypoints. The ends are longitudes of waypoints without rounding: a window that
 * begins at 0° does not hold a waypoint at −1e-20°.
 */
function arcOf(longitude: Float64Array): Arc {
  let turns = 0;
  let [west, east] = [longitude[0] as number, longitude[0] as number];
  for (let i = 1; i < longitude.length; i++) {
    const step = (longitude[i] as number) - (longitude[i - 1] as number);
    turns += Math.round((wrapLongitude(step) - step) / 360);
    const at = (longitude[i] as number) + 360 * turns;
    west = Math.min(west, at);
    east = Math.max(east, at);
  }
  return { west, width: Math.min(east - west, 360) };
}

/** All of the circle but its widest gap. Longitudes from −180 to 180 keep their bits: one just west of 0 stays there. */
function joinArcs(arcs: readonly Arc[]): Arc {
  const sorted = arcs
    .map(({ west, width }) => ({ west: wrapLongitude(west), width }))
    .sort((a, b) => a.west - b.west);
  const [first] = sorted;
  if (first === undefined) return { west: 0, width: 0 };
  // An arc that goes on beyond the antimeridian covers the beginning of the circle too.
  const beyond = maxOf(sorted, ({ west, width }) => west + width) - 360;
  let reach = Math.max(first.west + first.width, beyond);
  let widest = { gap: 0, west: first.west };
  for (const { west, width } of sorted.slice(1)) {
    if (west - reach > widest.gap) widest = { gap: west - reach, west };
    reach = Math.max(reach, west + width);
  }
  if (first.west + 360 - reach > widest.gap) widest = { gap: first.west + 360 - reach, west: first.west };
  const reached = maxOf(sorted, ({ west, width }) => floorMod(west - widest.west, 360) + width);
  return { west: widest.west, width: widest.gap === 0 ? 360 : Math.min(reached, 360) };
}

/** There may be more of them than a function takes arguments. */
function maxOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((max, item) => Math.max(max, of(item)), Number.NEGATIVE_INFINITY);
}

function ends(values: Float64Array): [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}
