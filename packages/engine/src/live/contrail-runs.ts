/** Living contrails of a leg as lines: one for each run of neighbouring waypoints. */
import { isoSecond } from '@contrails/runtime';
import { type FinishedStates, STATE_FIELDS } from '../flights/contrail-states.ts';

export interface ContrailFeature {
  readonly type: 'Feature';
  readonly id: string;
  readonly geometry: { readonly type: 'LineString'; readonly coordinates: readonly Position[] };
  readonly properties: ContrailProperties;
}

type Position = readonly [longitude: number, latitude: number, altitudeM: number];

/** Means over the run; energies are sums. */
export interface ContrailProperties {
  readonly flight_id: string;
  readonly formed_from: string;
  readonly formed_to: string;
  readonly age_min_s: number;
  readonly age_max_s: number;
  readonly width_m: number;
  readonly optical_depth: number;
  readonly net_forcing_w_per_m2: number;
  /** How fast the wind carries it to the east and to the north; null where that is unknown. */
  readonly drift_m_per_s: readonly [east: number, north: number] | null;
  /** Null up to a past minute, of which energies are not kept. */
  readonly energy_forcing_so_far_j: number | null;
  readonly energy_forcing_j: number;
}

/** What all living contrails are together. */
export interface ContrailSums {
  lengthM: number;
  /** Of contrails that can be seen: an optical depth above 0.1. */
  coverM2: number;
  netForcingW: number;
}

export interface RunsOfLeg {
  readonly flightId: string;
  readonly timeMs: Float64Array;
  readonly energyForcing: Float64Array;
  readonly states: FinishedStates;
  /** Index of the time in the states. */
  readonly at: number;
  readonly atMs: number;
}

const FIELDS = STATE_FIELDS.length;
const [LON, LAT, ALT, WIDTH, TAU, RF_NET, LENGTH, U, V] = (
  ['longitude', 'latitude', 'altitude', 'width', 'opticalDepth', 'rfNet', 'length', 'u', 'v'] as const
).map((name) => STATE_FIELDS.indexOf(name)) as [
  ...[number, number, number, number, number],
  ...[number, number, number, number],
];
const VISIBLE_OPTICAL_DEPTH = 0.1;

/** Adds what it finds to `sums`. A point without living neighbours spans no segment and is left out, as in other answers. */
export function contrailRuns(leg: RunsOfLeg, sums: ContrailSums): ContrailFeature[] {
  const { states, at } = leg;
  const [first, end] = [states.offsets[at] as number, states.offsets[at + 1] as number];
  const features: ContrailFeature[] = [];
  let from = first;
  for (let i = first + 1; i <= end; i++) {
    if (i < end && states.waypoint[i] === (states.waypoint[i - 1] as number) + 1) continue;
    if (i - from > 1) features.push(...linesOf(leg, from, i, sums));
    from = i;
  }
  return features;
}

/** A run is cut where it crosses the antimeridian. */
function* linesOf(leg: RunsOfLeg, from: number, to: number, sums: ContrailSums): Generator<ContrailFeature> {
  const { values } = leg.states;
  const value = (i: number, k: number) => values[FIELDS * i + k] as number;
  for (let i = from; i < to - 1; i++) {
    const lengthM = value(i, LENGTH);
    const areaM2 = lengthM * value(i, WIDTH);
    if (!(areaM2 > 0)) continue;
    sums.lengthM += lengthM;
    if (value(i, TAU) > VISIBLE_OPTICAL_DEPTH) sums.coverM2 += areaM2;
    if (!Number.isNaN(value(i, RF_NET))) sums.netForcingW += areaM2 * value(i, RF_NET);
  }
  let start = from;
  let before: Position[] = [];
  for (let i = from + 1; i <= to; i++) {
    const crosses = i < to && Math.abs(value(i, LON) - value(i - 1, LON)) > 180;
    if (i < to && !crosses) continue;
    const points = Array.from(
      { length: i - start },
      (_, k): Position => [
        rounded(value(start + k, LON), 5),
        rounded(value(start + k, LAT), 5),
        rounded(value(start + k, ALT), 0),
      ],
    );
    const crossing = crosses ? crossingOf(value, i) : undefined;
    const coordinates = [...before, ...points, ...(crossing === undefined ? [] : [crossing[0]])];
    if (coordinates.length > 1) yield featureOf(leg, start, i, coordinates);
    before = crossing === undefined ? [] : [crossing[1]];
    start = i;
  }
}

/** Both sides of the antimeridian between a point and the one before it. */
function crossingOf(value: (i: number, k: number) => number, i: number): [Position, Position] {
  const [lon0, lon1] = [value(i - 1, LON), value(i, LON)];
  const side = lon0 > 0 ? 180 : -180;
  const eastwards = lon1 + 2 * side - lon0;
  const share = eastwards === 0 ? 0 : (side - lon0) / eastwards;
  const between = (k: number, digits: number) =>
    rounded(value(i - 1, k) + share * (value(i, k) - value(i - 1, k)), digits);
  const [latitude, altitude] = [between(LAT, 5), between(ALT, 0)];
  return [
    [side, latitude, altitude],
    [-side, latitude, altitude],
  ];
}

function featureOf(
  { flightId, timeMs, energyForcing, states, at, atMs }: RunsOfLeg,
  from: number,
  to: number,
  coordinates: readonly Position[],
): ContrailFeature {
  const waypoints = states.waypoint.subarray(from, to);
  const [first, last] = [waypoints[0] as number, waypoints.at(-1) as number];
  const mean = (k: number) => {
    let sum = 0;
    for (let i = from; i < to; i++) sum += states.values[FIELDS * i + k] as number;
    return sum / (to - from);
  };
  const total = (column: Float64Array) => waypoints.reduce((sum, w) => sum + (column[w] as number), 0);
  const [formedMs, formedToMs] = [timeMs[first] as number, timeMs[last] as number];
  const isLast = at === states.offsets.length - 2;
  return {
    type: 'Feature',
    id: `${flightId}/${Math.round(formedMs / 1000)}`,
    geometry: { type: 'LineString', coordinates },
    properties: {
      flight_id: flightId,
      formed_from: isoSecond(formedMs),
      formed_to: isoSecond(formedToMs),
      age_min_s: Math.round((atMs - formedToMs) / 1000),
      age_max_s: Math.round((atMs - formedMs) / 1000),
      width_m: rounded(mean(WIDTH), 1),
      optical_depth: significant(mean(TAU)),
      net_forcing_w_per_m2: significant(mean(RF_NET)),
      drift_m_per_s: Number.isNaN(mean(U) + mean(V)) ? null : [rounded(mean(U), 1), rounded(mean(V), 1)],
      energy_forcing_so_far_j: isLast ? total(states.soFar) : null,
      energy_forcing_j: total(energyForcing),
    },
  };
}

function rounded(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}

function significant(value: number): number {
  return Number(value.toPrecision(5));
}
