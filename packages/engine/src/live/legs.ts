/** Legs of airframes as far as they were flown. */
import { type BuiltFlight, buildFlights, type LegAttributes, reportsOf } from '@contrails/flights';
import type { PackedTrack } from './airframe-track.ts';
import { ReportRows } from './report-rows.ts';

/** A leg whose id is known; it keeps the id when its first reports leave the window. */
export interface KnownLeg {
  readonly flightId: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Whole minutes; none lies after the last report. */
export interface LegMinutes {
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly altitudeFt: Float64Array;
}

export interface LiveLeg extends KnownLeg {
  readonly icaoAddress: string;
  readonly outcome: BuiltFlight['outcome'];
  readonly attributes: LegAttributes | undefined;
  /** Undefined where the leg is not a flight, or not yet. */
  readonly minutes: LegMinutes | undefined;
  /** Whether it began before the window. */
  readonly isTruncated: boolean;
}

export interface TrackOfLegs extends PackedTrack {
  readonly isTruncated: boolean;
  readonly known: readonly KnownLeg[];
}

/** A flight that has just begun is short, and none that is under way was seen near its destination. */
const USABLE: ReadonlySet<BuiltFlight['outcome']> = new Set(['ok', 'partial', 'too_short']);

/** In order of time; the last one is the flight of the airframe. */
export function legsOf(track: TrackOfLegs): LiveLeg[] {
  const reports = reportsOfTrack(track);
  const { flights } = buildFlights(reports, {
    publishedId: ({ firstMs, lastMs }) =>
      track.known.find((leg) => leg.firstMs <= lastMs && leg.lastMs >= firstMs)?.flightId,
  });
  const known = new Map(track.known.map((leg) => [leg.flightId, leg]));
  return flights.map((built, index) => {
    const { flightId, icaoAddress, firstMs, lastMs, outcome, healed, flight } = built;
    return {
      flightId,
      icaoAddress,
      firstMs: Math.min(firstMs, known.get(flightId)?.firstMs ?? firstMs),
      lastMs,
      outcome,
      attributes: healed?.attributes,
      minutes: flight !== undefined && USABLE.has(outcome) ? seen(flight.columns, lastMs) : undefined,
      isTruncated: index === 0 && track.isTruncated && firstMs === reports.timestamp[0],
    };
  });
}

/**
 * Healing adds a point at the airport ahead; what comes after the last report was not flown. All columns share one buffer:
 * each buffer takes memory beyond its values.
 */
function seen({ timeMs, longitude, latitude, altitudeFt }: LegMinutes, lastMs: number): LegMinutes {
  let end = timeMs.length;
  while (end > 0 && (timeMs[end - 1] as number) > lastMs) end--;
  const values = new Float64Array(4 * end);
  const keep = (column: Float64Array, k: number) => {
    const kept = values.subarray(k * end, (k + 1) * end);
    kept.set(column.subarray(0, end));
    return kept;
  };
  return {
    timeMs: keep(timeMs, 0),
    longitude: keep(longitude, 1),
    latitude: keep(latitude, 2),
    altitudeFt: keep(altitudeFt, 3),
  };
}

export function copyOfMinutes({ timeMs, longitude, latitude, altitudeFt }: LegMinutes): LegMinutes {
  return {
    timeMs: timeMs.slice(),
    longitude: longitude.slice(),
    latitude: latitude.slice(),
    altitudeFt: altitudeFt.slice(),
  };
}

/** Gives memory back at once: it is much before it is collected. */
export function releaseMinutes({ minutes }: LiveLeg): void {
  (minutes?.timeMs.buffer as ArrayBuffer | undefined)?.transfer(0);
}

/** Minutes from a time on. */
export function minutesSince(minutes: LegMinutes, fromMs: number): LegMinutes {
  let first = 0;
  while (first < minutes.timeMs.length && (minutes.timeMs[first] as number) < fromMs) first++;
  if (first === 0) return minutes;
  return {
    timeMs: minutes.timeMs.subarray(first),
    longitude: minutes.longitude.subarray(first),
    latitude: minutes.latitude.subarray(first),
    altitudeFt: minutes.altitudeFt.subarray(first),
  };
}

function reportsOfTrack({ buffer, firstRow, count, baseMs, names }: PackedTrack) {
  const columns = new ReportRows(buffer).columns(firstRow, count, baseMs);
  const { timeMs, latitude, longitude, altitudeBaroFt, altitudeGnssFt, nic, nacp } = columns;
  return reportsOf({
    count,
    names: new Map(names.map((values, index) => [index, values])),
    nameIds: columns.name,
    flags: columns.flags,
    figures: [timeMs, latitude, longitude, altitudeBaroFt, altitudeGnssFt, nic, nacp],
  });
}
