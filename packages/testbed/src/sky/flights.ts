import { feetToMetres } from '@contrails/physics/common';
import { isoDate, MINUTE_MS } from '@contrails/runtime';
import { fractalNoise, sequence } from './noise.ts';
import { fromPlane, type Plane } from './plane.ts';

/** A flight through the window, once a minute. */
export interface SyntheticFlight {
  /** `{carrier}~{flight number}~{departure date}~{departure airport}` */
  readonly flight: string;
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly altitudeM: Float64Array;
}

/** A stretch of a flight that left a contrail: indices of its first and last waypoint. */
export interface ContrailRun {
  readonly id: number;
  readonly flight: SyntheticFlight;
  readonly first: number;
  readonly last: number;
  readonly lifetimeS: number;
  /** Of its width [1], of the largest optical depth, and of 12 µm to 11 µm. */
  readonly spread: number;
  readonly tau0: number;
  readonly beta: number;
  /** Fades in from this age on, within ten minutes [s]. */
  readonly fadeInS: number;
  readonly seed: number;
}

export interface Traffic {
  readonly flights: readonly SyntheticFlight[];
  readonly contrails: readonly ContrailRun[];
}

const AIRWAYS = 5;
const HALF_LENGTH_KM = 880;
const MIN_RUN_MINUTES = 5;
const CARRIERS = ['XA', 'YQ', 'ZD', 'QX', 'XJ', 'ZW'];
const AIRPORTS = ['AAX', 'BBX', 'CCX', 'DDX', 'EEX', 'FFX'];

/** Flights that may leave contrails, then flights in dry layers that leave none. */
export function makeTraffic(
  seed: number,
  plane: Plane,
  startMs: number,
  counts: { readonly contrails: number; readonly silent: number },
): Traffic {
  const draw = sequence(seed + 51);
  const between = (min: number, max: number) => min + (max - min) * draw();
  const airways = Array.from({ length: AIRWAYS }, () => ({
    angle: between(0, Math.PI),
    offset: between(-320, 320),
  }));
  const flights: SyntheticFlight[] = [];
  const contrails: ContrailRun[] = [];
  for (let i = 0; i < counts.contrails + counts.silent; i++) {
    const isOnAirway = draw() < 0.65;
    const airway = airways[Math.floor(draw() * AIRWAYS)] as (typeof airways)[number];
    const jitter = (between(-2, 2) * Math.PI) / 180;
    const angle = (isOnAirway ? airway.angle + jitter : between(0, Math.PI)) + (draw() < 0.5 ? Math.PI : 0);
    // Measured to the same side whichever way the flight goes.
    const offset = isOnAirway ? airway.offset + between(-25, 25) : between(-450, 450);
    const side = Math.cos(angle - airway.angle) < 0 && isOnAirway ? -1 : 1;
    const bend = between(-60, 60);
    const speedKmS = between(0.215, 0.255);
    const flightLevel = 310 + 10 * Math.floor(10 * draw());
    const middleMs = startMs + between(-2.9, 0.7) * 60 * MINUTE_MS;
    const flight = makeFlight({
      key: keyOf(i, draw, middleMs),
      plane,
      angle,
      offset: side * offset,
      bend,
      speedKmS,
      altitudeM: feetToMetres(100 * flightLevel),
      middleMs,
    });
    flights.push(flight.track);
    if (i >= counts.contrails) continue;
    const plume = {
      lifetimeS: between(55, 210) * 60,
      spread: between(0.6, 1.7),
      tau0: 0.02 * 10 ** draw(),
      beta: between(1.1, 1.22),
      fadeInS: 300,
    };
    const layer = flightLevel < 355 ? 0 : 1;
    const isMoist = flight.places.map(
      ([x, y]) => fractalNoise(x / 420, y / 300, seed + 61 + layer * 1000, 3) + 0.02 > 0,
    );
    for (const [first, last] of runsOf(isMoist)) {
      const id = contrails.length;
      contrails.push({ id, flight: flight.track, first, last, ...plume, seed: seed + 7000 + 13 * id });
    }
  }
  return { flights, contrails };
}

function keyOf(i: number, draw: () => number, timeMs: number): string {
  const carrier = CARRIERS[Math.floor(draw() * CARRIERS.length)];
  const airport = AIRPORTS[Math.floor(draw() * AIRPORTS.length)];
  return `${carrier}~${100 + i}~${isoDate(timeMs)}~${airport}`;
}

interface Route {
  readonly key: string;
  readonly plane: Plane;
  readonly angle: number;
  readonly offset: number;
  readonly bend: number;
  readonly speedKmS: number;
  readonly altitudeM: number;
  readonly middleMs: number;
}

function makeFlight(route: Route): {
  readonly track: SyntheticFlight;
  readonly places: readonly [x: number, y: number][];
} {
  const { plane, angle, offset, bend, speedKmS, altitudeM, middleMs } = route;
  const minutes = Math.floor((2 * HALF_LENGTH_KM) / (60 * speedKmS));
  const firstMs = Math.round((middleMs - (minutes / 2) * MINUTE_MS) / 1000) * 1000;
  const places = Array.from({ length: minutes + 1 }, (_, i): [number, number] => {
    const along = (i - minutes / 2) * 60 * speedKmS;
    const across = offset + bend * (1 - (along / HALF_LENGTH_KM) ** 2);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return [along * cos - across * sin, along * sin + across * cos];
  });
  const positions = places.map(([x, y]) => fromPlane(plane, x, y));
  return {
    track: {
      flight: route.key,
      timeMs: Float64Array.from(places, (_, i) => firstMs + i * MINUTE_MS),
      longitude: Float64Array.from(positions, ([lon]) => lon),
      latitude: Float64Array.from(positions, ([, lat]) => lat),
      altitudeM: Float64Array.from(places, () => altitudeM),
    },
    places,
  };
}

function runsOf(marks: readonly boolean[]): [first: number, last: number][] {
  const runs: [number, number][] = [];
  let first = -1;
  for (let i = 0; i <= marks.length; i++) {
    if (marks[i] && first < 0) first = i;
    if (marks[i] || first < 0) continue;
    if (i - 1 - first >= MIN_RUN_MINUTES) runs.push([first, i - 1]);
    first = -1;
  }
  return runs;
}
