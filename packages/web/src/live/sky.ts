/** The aircraft and contrails of a moment, as events of the stream change them. */
import type { LiveEvent, LiveFlights, LiveSky, LiveSummary } from '@contrails/client';
import { haversineM } from '@contrails/physics/geodesy';
import { mercatorPerMetre, mercatorX, mercatorY } from '../stage/mercator.ts';
import { MAX_MOVED_S } from '../stage/symbol-layer.ts';

export type FlightFacts = LiveFlights['features'][number]['properties'];
type FlightFeature = LiveFlights['features'][number];
type Snapshot = Extract<LiveEvent, { type: 'snapshot' | 'update' }>;
type ContrailFeature = Snapshot['contrails'][number];

/** On the mercator square. */
export interface Aircraft {
  readonly facts: FlightFacts;
  readonly longitude: number;
  readonly latitude: number;
  readonly x: number;
  readonly y: number;
  /** How far it moves in a second. */
  readonly moveX: number;
  readonly moveY: number;
  /** When it was there [ms since 1970]. */
  readonly seenMs: number;
}

export interface Contrail {
  readonly facts: ContrailFeature['properties'];
  /** Mercator x and y of its points, in turn. */
  readonly points: Float32Array;
  /** Mercator x and y of its south-west and north-east corners. */
  readonly box: readonly [west: number, north: number, east: number, south: number];
  readonly halfWidth: number;
  readonly lengthM: number;
  /** How far the wind carries it in a second, on the mercator square. */
  readonly moveX: number;
  readonly moveY: number;
  /** When it was there [ms since 1970]. */
  readonly seenMs: number;
}

/** A feed whose newest report is older is not of now [ms]. */
const MAX_BEHIND_MS = 600_000;
const METRES_PER_KNOT_SECOND = 1852 / 3600;

/** Holds what the service sent last, and nothing else: as much as is in the sky. */
export class Sky {
  readonly aircraft = new Map<string, Aircraft>();
  readonly contrails = new Map<string, Contrail>();
  summary: LiveSummary | undefined;
  /** When an aircraft was last reported [ms since 1970]; undefined before the first. */
  newestMs: number | undefined;
  /** Counts changes: what depends on them is made again when they grow. */
  readonly changes = { aircraft: 0, contrails: 0 };
  /** What feeds had reported when each was first seen, for how fast they catch up [ms since 1970]. */
  private readonly begun = new Map<string, { readonly atMs: number; readonly newestMs: number }>();
  /** Ids that a snapshot under way has not named yet. */
  private leftOver: { readonly flights: Set<string>; readonly contrails: Set<string> } | undefined;

  /** The sky of a past minute. */
  static at({ flights, contrails }: LiveSky): Sky {
    const sky = new Sky();
    sky.take({ flights: flights.features, contrails: contrails.features as ContrailFeature[] });
    return sky;
  }

  /** A snapshot comes in pieces: what it lacks goes when the summary ends it, so nothing disappears for a moment. */
  apply(event: LiveEvent): void {
    if (event.type === 'snapshot') {
      const { aircraft, contrails } = this;
      this.leftOver = { flights: new Set(aircraft.keys()), contrails: new Set(contrails.keys()) };
    }
    if (event.type === 'snapshot' || event.type === 'update') this.take(event);
    if (event.type === 'remove') this.drop(event.flights, event.contrails);
    if (event.type === 'summary') {
      this.summary = event;
      this.noteFeeds(event);
      if (this.leftOver !== undefined) this.drop(this.leftOver.flights, this.leftOver.contrails);
      this.leftOver = undefined;
    }
  }

  /** Feeds that begin in the past, with how long they need to reach now [ms]; undefined where that is not known yet. */
  catchingUp(): { readonly name: string; readonly newestMs: number; readonly leftMs: number | undefined }[] {
    const { time, feeds = [] } = this.summary ?? {};
    const atMs = Date.parse(time ?? '');
    return feeds.flatMap(({ name, newest_report: newest, stalled }) => {
      const begun = this.begun.get(name);
      const newestMs = Date.parse(newest ?? '');
      if (stalled || begun === undefined || !(atMs - newestMs > MAX_BEHIND_MS)) return [];
      const speed = (newestMs - begun.newestMs) / (atMs - begun.atMs);
      return { name, newestMs, leftMs: speed > 1 ? (atMs - newestMs) / (speed - 1) : undefined };
    });
  }

  private noteFeeds({ time, feeds }: LiveSummary): void {
    for (const { name, newest_report: newest } of feeds) {
      if (newest === null || this.begun.has(name)) continue;
      this.begun.set(name, { atMs: Date.parse(time), newestMs: Date.parse(newest) });
    }
  }

  private take({ flights, contrails }: Pick<Snapshot, 'flights' | 'contrails'>): void {
    if (flights.length > 0) this.changes.aircraft++;
    if (contrails.length > 0) this.changes.contrails++;
    for (const feature of flights) {
      const { id } = feature.properties;
      const aircraft = aircraftOf(feature);
      this.aircraft.set(id, aircraft);
      this.newestMs = Math.max(this.newestMs ?? 0, aircraft.seenMs);
      this.leftOver?.flights.delete(id);
    }
    for (const feature of contrails) {
      this.contrails.set(feature.id, contrailOf(feature));
      this.leftOver?.contrails.delete(feature.id);
    }
  }

  private drop(flights: Iterable<string>, contrails: Iterable<string>): void {
    for (const id of flights) if (this.aircraft.delete(id)) this.changes.aircraft++;
    for (const id of contrails) if (this.contrails.delete(id)) this.changes.contrails++;
  }
}

function aircraftOf({ geometry: { coordinates }, properties }: FlightFeature): Aircraft {
  const [longitude = 0, latitude = 0] = coordinates;
  const { track, ground_speed_kt: speed, state } = properties;
  const isMoving = track !== null && speed !== null && state === 'airborne';
  const step = isMoving ? speed * METRES_PER_KNOT_SECOND * mercatorPerMetre(latitude) : 0;
  const heading = ((track ?? 0) * Math.PI) / 180;
  return {
    facts: properties,
    ...{ longitude, latitude },
    x: mercatorX(longitude),
    y: mercatorY(latitude),
    moveX: step * Math.sin(heading),
    moveY: -step * Math.cos(heading),
    seenMs: Date.parse(properties.last_seen),
  };
}

/** Where an aircraft should be by now, on the mercator square. */
export function placeAt({ x, y, moveX, moveY, seenMs }: Aircraft, nowMs: number): readonly [number, number] {
  const seconds = Math.min(Math.max((nowMs - seenMs) / 1000, 0), MAX_MOVED_S);
  return [x + seconds * moveX, y + seconds * moveY];
}

function contrailOf({ geometry: { coordinates }, properties }: ContrailFeature): Contrail {
  const points = new Float32Array(2 * coordinates.length);
  let [west, north, east, south] = [1, 1, 0, 0];
  let lengthM = 0;
  coordinates.forEach(([longitude = 0, latitude = 0], k) => {
    const [x, y] = [mercatorX(longitude), mercatorY(latitude)];
    points[2 * k] = x;
    points[2 * k + 1] = y;
    west = Math.min(west, x);
    east = Math.max(east, x);
    north = Math.min(north, y);
    south = Math.max(south, y);
    const [lon0, lat0] = coordinates[k - 1] ?? [longitude, latitude];
    lengthM += haversineM(lon0 as number, lat0 as number, longitude, latitude);
  });
  const latitude = coordinates[Math.floor(coordinates.length / 2)]?.[1] ?? 0;
  const metre = mercatorPerMetre(latitude);
  const [toEast = 0, toNorth = 0] = properties.drift_m_per_s ?? [];
  return {
    facts: properties,
    points,
    box: [west, north, east, south],
    halfWidth: 0.5 * properties.width_m * metre,
    lengthM,
    moveX: toEast * metre,
    moveY: -toNorth * metre,
    seenMs: Date.parse(properties.formed_to) + 1000 * properties.age_min_s,
  };
}
