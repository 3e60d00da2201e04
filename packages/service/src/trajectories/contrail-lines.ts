/** The contrail of one flight as lines, one set for each step of the model, in GeoJSON (RFC 7946). */

import type { PlumeColumn, PlumeTable } from '@contrails/physics/cocip';
import { MINUTE_MS } from '@contrails/runtime';
import type { FlightId } from './fleet.ts';

/** A point of a line with its properties. */
interface Vertex {
  readonly longitude: number;
  readonly latitude: number;
  readonly altitude: number;
  /** Null where a line is cut between waypoints: the values of a waypoint stand once in a step. */
  readonly waypoint: number | null;
  readonly age: number;
  readonly width: number;
  readonly depth: number;
  readonly tau: number;
  readonly rf_net: number;
}

/** Numbers of an answer carry 7 digits; positions to a metre and properties of this model need fewer. */
const DECIMALS = { degrees: 5, metres: 1, minutes: 2 } as const;
const DIGITS = 5;

export const CONTRAIL_UNITS = {
  altitude: 'm',
  age: 'min',
  width: 'm',
  depth: 'm',
  tau: '1',
  rf_net: 'W m-2',
} as const;

/** What the lines are made of. */
export const CONTRAIL_LINE_COLUMNS = [
  'longitude',
  'latitude',
  'altitude',
  'formationTimeMs',
  'width',
  'depth',
  'opticalDepth',
  'rfNet',
] as const satisfies readonly PlumeColumn[];

/**
 * Collects what is alive after each step. A point that has lost its neighbours spans no segment and is not drawn; lines
 * are cut at the antimeridian.
 */
export class ContrailLines {
  readonly #flightId: FlightId | undefined;
  readonly #placeOf: (waypoint: number) => number;
  readonly #features: string[] = [];

  constructor(flightId: FlightId | undefined, placeOf: (waypoint: number) => number) {
    this.#flightId = flightId;
    this.#placeOf = placeOf;
  }

  /** Takes the rows of the flight, `from` to `to` (not included), after a step. */
  add(plumes: PlumeTable, from: number, to: number, toMs: number): void {
    const time = new Date(toMs).toISOString().replace('.000Z', 'Z');
    let first = from;
    for (let i = from + 1; i <= to; i++) {
      if (i < to && plumes.waypoint[i] === (plumes.waypoint[i - 1] as number) + 1) continue;
      if (i - first > 1) this.#addChain(plumes, first, i, time, toMs);
      first = i;
    }
  }

  /** Features with commas between them. */
  finish(): Uint8Array<ArrayBuffer> {
    return new TextEncoder().encode(this.#features.join(','));
  }

  #addChain(plumes: PlumeTable, first: number, end: number, time: string, toMs: number): void {
    let line: Vertex[] = [];
    for (let i = first; i < end; i++) {
      const vertex = this.#vertexOf(plumes, i, toMs);
      const before = line.at(-1);
      if (before !== undefined && Math.abs(vertex.longitude - before.longitude) > 180) {
        const [west, east] = crossing(before, vertex);
        this.#addLine([...line, west], time);
        line = [east];
      }
      line.push(vertex);
    }
    this.#addLine(line, time);
  }

  #vertexOf(plumes: PlumeTable, i: number, toMs: number): Vertex {
    return {
      longitude: plumes.longitude[i] as number,
      latitude: plumes.latitude[i] as number,
      altitude: plumes.altitude[i] as number,
      waypoint: this.#placeOf(plumes.waypoint[i] as number),
      age: (toMs - (plumes.formationTimeMs[i] as number)) / MINUTE_MS,
      width: plumes.width[i] as number,
      depth: plumes.depth[i] as number,
      tau: plumes.opticalDepth[i] as number,
      rf_net: plumes.rfNet[i] as number,
    };
  }

  #addLine(line: readonly Vertex[], time: string): void {
    const list = (text: (vertex: Vertex) => string): string => `[${line.map(text).join(',')}]`;
    const positions = list(
      ({ longitude, latitude, altitude }) =>
        `[${fixed(longitude, DECIMALS.degrees)},${fixed(latitude, DECIMALS.degrees)},${fixed(altitude, DECIMALS.metres)}]`,
    );
    const properties = [
      ...(this.#flightId === undefined ? [] : [`"flight_id":${JSON.stringify(this.#flightId)}`]),
      `"time":"${time}"`,
      `"waypoint":${list(({ waypoint }) => String(waypoint))}`,
      `"age":${list(({ age }) => fixed(age, DECIMALS.minutes))}`,
      `"width":${list(({ width }) => fixed(width, DECIMALS.metres))}`,
      `"depth":${list(({ depth }) => fixed(depth, DECIMALS.metres))}`,
      `"tau":${list(({ tau }) => rounded(tau))}`,
      `"rf_net":${list(({ rf_net }) => rounded(rf_net))}`,
    ];
    this.#features.push(
      `{"type":"Feature","geometry":{"type":"LineString","coordinates":${positions}},"properties":{${properties.join(',')}}}`,
    );
  }
}

/** The point at which a segment meets the antimeridian, on the side of either end. */
function crossing(from: Vertex, to: Vertex): [Vertex, Vertex] {
  const side = Math.sign(from.longitude);
  const ahead = to.longitude + 360 * side;
  const share = (180 * side - from.longitude) / (ahead - from.longitude);
  const between = (a: number, b: number): number => a + share * (b - a);
  const middle = {
    waypoint: null,
    latitude: between(from.latitude, to.latitude),
    altitude: between(from.altitude, to.altitude),
    age: between(from.age, to.age),
    width: between(from.width, to.width),
    depth: between(from.depth, to.depth),
    tau: between(from.tau, to.tau),
    rf_net: between(from.rf_net, to.rf_net),
  };
  return [
    { ...middle, longitude: 180 * side },
    { ...middle, longitude: -180 * side },
  ];
}

function fixed(value: number, decimals: number): string {
  return Number.isFinite(value) ? String(Number(value.toFixed(decimals))) : 'null';
}

function rounded(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(DIGITS))) : 'null';
}
