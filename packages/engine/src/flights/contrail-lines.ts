/** The contrail of one flight as lines, one set for each step of the model, in GeoJSON (RFC 7946). */

import type { PlumeColumn, PlumeTable } from '@contrails/physics/cocip';
import { lineNameOf, PLUME_FIELDS, type PlumeFieldName } from '@contrails/physics/fields';
import { MINUTE_MS } from '@contrails/runtime';
import type { FlightId } from './fleet.ts';

/** What is drawn of a point: its place, and values of the model under public names. */
interface Vertex {
  readonly longitude: number;
  readonly latitude: number;
  readonly altitude: number;
  /** Null where a line is cut between waypoints: the values of a waypoint stand once in a step. */
  readonly waypoint: number | null;
  readonly age: number;
  /** In the order of the quantities of the lines; NaN where it belongs to a waypoint and there is none. */
  readonly values: readonly number[];
}

/** Numbers of an answer carry 7 digits; positions to a metre and properties of this model need fewer. */
const DECIMALS = { degrees: 5, metres: 1, minutes: 2 } as const;
const DIGITS = 5;

interface Quantity {
  readonly plume: PlumeFieldName;
  readonly decimals?: number;
  /** Whether it is of the segment to the next point, so it must not be counted twice where a line is cut. */
  readonly isOfSegment?: true;
}

const QUANTITIES: readonly Quantity[] = [
  { plume: 'width', decimals: DECIMALS.metres },
  { plume: 'depth', decimals: DECIMALS.metres },
  { plume: 'opticalDepth' },
  { plume: 'rfNet' },
  { plume: 'rfLw' },
  { plume: 'rfSw' },
  { plume: 'iceWaterContent' },
  { plume: 'particles' },
  { plume: 'length', decimals: DECIMALS.metres, isOfSegment: true },
  { plume: 'energyForcing', isOfSegment: true },
];

/** With `include=radiation`. */
const RADIATION: readonly Quantity[] = [{ plume: 'sdr' }, { plume: 'rsr' }, { plume: 'olr' }];

const quantitiesOf = (withRadiation: boolean): (readonly [string, Quantity])[] =>
  [...QUANTITIES, ...(withRadiation ? RADIATION : [])].map((one) => [lineNameOf(one.plume), one]);

/** Units of the properties of a line. */
export function contrailUnits(withRadiation: boolean): Readonly<Record<string, string>> {
  const units = quantitiesOf(withRadiation).map(([name, { plume }]) => [name, PLUME_FIELDS[plume].unit]);
  return { altitude: 'm', age: 'min', ...Object.fromEntries(units) };
}

/** What the lines are made of. */
export function contrailLineColumns(withRadiation: boolean): PlumeColumn[] {
  const quantities = quantitiesOf(withRadiation).map(([, { plume }]) => plume);
  return ['longitude', 'latitude', 'altitude', 'formationTimeMs', ...quantities];
}

/**
 * Collects what is alive after each step. A point that has lost its neighbours spans no segment and is not drawn; lines
 * are cut at the antimeridian.
 */
export class ContrailLines {
  readonly #flightId: FlightId | undefined;
  readonly #indexOf: (waypoint: number) => number;
  readonly #quantities: readonly (readonly [string, Quantity])[];
  readonly #features: string[] = [];

  constructor(flightId: FlightId | undefined, indexOf: (waypoint: number) => number, withRadiation = false) {
    this.#flightId = flightId;
    this.#indexOf = indexOf;
    this.#quantities = quantitiesOf(withRadiation);
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
        const [west, east] = this.#crossing(before, vertex);
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
      waypoint: this.#indexOf(plumes.waypoint[i] as number),
      age: (toMs - (plumes.formationTimeMs[i] as number)) / MINUTE_MS,
      values: this.#quantities.map(([, { plume }]) => plumes[plume][i] as number),
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
      ...this.#quantities.map(([name, { decimals }], k) => {
        const text = (value: number) => (decimals === undefined ? rounded(value) : fixed(value, decimals));
        return `"${name}":${list(({ values }) => text(values[k] as number))}`;
      }),
    ];
    this.#features.push(
      `{"type":"Feature","geometry":{"type":"LineString","coordinates":${positions}},"properties":{${properties.join(',')}}}`,
    );
  }

  /** The point at which a segment meets the antimeridian, on the side of either end. */
  #crossing(from: Vertex, to: Vertex): [Vertex, Vertex] {
    const side = Math.sign(from.longitude);
    const ahead = to.longitude + 360 * side;
    const share = (180 * side - from.longitude) / (ahead - from.longitude);
    const between = (a: number, b: number): number => a + share * (b - a);
    const middle = {
      waypoint: null,
      latitude: between(from.latitude, to.latitude),
      altitude: between(from.altitude, to.altitude),
      age: between(from.age, to.age),
      values: this.#quantities.map(([, { isOfSegment }], k) =>
        isOfSegment ? Number.NaN : between(from.values[k] as number, to.values[k] as number),
      ),
    };
    return [
      { ...middle, longitude: 180 * side },
      { ...middle, longitude: -180 * side },
    ];
  }
}

function fixed(value: number, decimals: number): string {
  return Number.isFinite(value) ? String(Number(value.toFixed(decimals))) : 'null';
}

function rounded(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(DIGITS))) : 'null';
}
