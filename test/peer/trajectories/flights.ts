import { findAircraftType, performanceTypes } from '@contrails/physics/aircraft';
import { seededRandom } from '@contrails/testbed/weather/random';

export interface PeerFlight {
  readonly id: string;
  readonly region: Region;
  readonly spacing: Spacing;
  readonly profile: Profile;
  readonly aircraftType: string;
  /** [s since 1970] */
  readonly time: readonly number[];
  readonly longitude: readonly number[];
  readonly latitude: readonly number[];
  readonly altitudeFt: readonly number[];
}

/** Where a flight passes through halfway: [west, south, east, north]. */
const REGIONS = {
  'North Atlantic': [-50, 40, -10, 60],
  Europe: [-10, 36, 30, 60],
  'North Pacific': [150, 30, 170, 55],
  tropics: [-180, -20, 180, 20],
  'southern hemisphere': [-180, -60, 180, -20],
  'date line': [178, -55, 182, 60],
  'North Pole': [-180, 82, 180, 90],
  'South Pole': [-180, -90, 180, -82],
} as const;
export type Region = keyof typeof REGIONS;

/** Seconds between waypoints; the coarse ones make segments that are too long for the model. */
const SPACINGS = { fine: [5, 30], minutes: [50, 70], coarse: [120, 400] } as const;
export type Spacing = keyof typeof SPACINGS;

/** `whole` starts and ends near the ground, below all weather; `steps` climbs on its way. */
const PROFILES = ['level', 'steps', 'whole'] as const;
export type Profile = (typeof PROFILES)[number];

const HOURS = { fine: [0.5, 1.5], minutes: [1, 6], coarse: [3, 10] } as const;
const CLIMB_FT_MIN = 1800;
const FEET_PER_LEVEL = 1000;
const EARTH_RADIUS_M = 6_371_229;

/** Whether contrails would last at a place and time [s since 1970]. */
export type IsMoist = (longitude: number, latitude: number, altitudeFt: number, timeS: number) => boolean;

/** How often a flight that is to leave contrails is drawn again because it would not. */
const MAX_DRAWS = 60;

/** Flights on great circles, the same ones for the same seed; at the middle of every second one contrails would last. */
export function randomFlights(
  count: number,
  seed: number,
  firstTimeS: number,
  isMoist: IsMoist,
): PeerFlight[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, f) => {
    for (let draw = 1; ; draw++) {
      const flight = randomFlight(`flight-${f}`, random, firstTimeS);
      if (f % 2 === 0 || draw === MAX_DRAWS || isMoistHalfway(flight, isMoist)) return flight;
    }
  });
}

function isMoistHalfway({ time, longitude, latitude, altitudeFt }: PeerFlight, isMoist: IsMoist): boolean {
  const at = (column: readonly number[]) => column[column.length >> 1] as number;
  return isMoist(at(longitude), at(latitude), at(altitudeFt), at(time));
}

function randomFlight(id: string, random: () => number, firstTimeS: number): PeerFlight {
  const among = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const between = ([low, high]: readonly [number, number]) => low + (high - low) * random();

  const aircraftType = among(performanceTypes());
  const region = among(Object.keys(REGIONS) as Region[]);
  const spacing = among(Object.keys(SPACINGS) as Spacing[]);
  const profile = among(PROFILES);
  const type = findAircraftType(aircraftType);
  const ceilingFt = Math.min(100 * type.maxFlightLevel, 43_000);
  const cruiseFt = FEET_PER_LEVEL * Math.floor(between([29_000, ceilingFt - 1000]) / FEET_PER_LEVEL);
  const speedMS = type.designMach * between([0.95, 1.01]) * 296;

  const stepS = Math.round(between(SPACINGS[spacing]));
  const count = Math.ceil((3600 * between(HOURS[spacing])) / stepS);
  const start = firstTimeS + Math.round(between([0, 12 * 3600]));
  const time = Array.from({ length: count }, (_, i) => start + i * stepS);
  const lastS = (count - 1) * stepS;
  const altitudeAt = (seconds: number): number => {
    if (profile === 'level') return cruiseFt;
    if (profile === 'steps') {
      const climbed = FEET_PER_LEVEL * Math.round((2 * seconds) / lastS);
      return Math.min(cruiseFt - 2 * FEET_PER_LEVEL + climbed, cruiseFt);
    }
    return Math.round(Math.min(cruiseFt, 1500 + (CLIMB_FT_MIN / 60) * Math.min(seconds, lastS - seconds)));
  };

  const [west, south, east, north] = REGIONS[region];
  const pointAt = greatCircle(between([west, east]), between([south, north]), between([0, 360]));
  const points = time.map((_, i) => pointAt(speedMS * (i * stepS - lastS / 2)));
  return {
    id,
    region,
    spacing,
    profile,
    aircraftType,
    time,
    longitude: points.map(([longitude]) => longitude),
    latitude: points.map(([, latitude]) => latitude),
    altitudeFt: time.map((seconds) => altitudeAt(seconds - start)),
  };
}

/** Where one is after some metres from a point in a direction; five decimals, as recorded tracks have them. */
function greatCircle(longitudeDeg: number, latitudeDeg: number, bearingDeg: number) {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const rounded = (value: number) => Number(((value * 180) / Math.PI).toFixed(5));
  const [phi, bearing] = [radians(latitudeDeg), radians(bearingDeg)];
  return (metres: number): [longitude: number, latitude: number] => {
    const angle = metres / EARTH_RADIUS_M;
    const sine = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing);
    const east = Math.atan2(
      Math.sin(bearing) * Math.sin(angle) * Math.cos(phi),
      Math.cos(angle) - Math.sin(phi) * sine,
    );
    const longitude = rounded(radians(longitudeDeg) + east);
    return [((((longitude + 180) % 360) + 360) % 360) - 180, rounded(Math.asin(sine))];
  };
}
