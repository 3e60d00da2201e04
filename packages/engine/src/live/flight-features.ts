/** Aircraft as points of GeoJSON. */

import { haversineM, initialAzimuthDeg } from '@contrails/physics/geodesy';
import { sumIgnoringNaN } from '@contrails/physics/numerics';
import { isoSecond } from '@contrails/runtime';
import type { AirframeTrack, TrackPosition } from './airframe-track.ts';
import type { LegMinutes, LiveLeg } from './legs.ts';
import { motionOf } from './motion.ts';
import type { LegToRun, LiveAircraft, RunLeg } from './run-legs.ts';
import { GONE_MS } from './tracks.ts';

/** A leg with what is known of it. */
export interface KnownFlight {
  readonly leg: LiveLeg;
  readonly track: AirframeTrack | undefined;
  readonly toRun: LegToRun | undefined;
  readonly result: RunLeg | undefined;
  readonly aircraft: LiveAircraft | undefined;
}

export interface FlightFeature {
  readonly type: 'Feature';
  readonly id: string;
  readonly geometry: { readonly type: 'Point'; readonly coordinates: readonly [number, number] };
  readonly properties: FlightProperties;
}

/** Null is unknown. */
export interface FlightProperties {
  readonly id: string;
  readonly icao_address: string;
  readonly callsign: string | null;
  readonly aircraft_type_icao: string | null;
  readonly aircraft_type_assumed: boolean;
  readonly departure_airport_icao: string | null;
  readonly arrival_airport_icao: string | null;
  readonly altitude_ft: number | null;
  readonly track: number | null;
  readonly ground_speed_kt: number | null;
  readonly vertical_rate_fpm: number | null;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly state: 'airborne' | 'ground' | 'stale';
  /** Whether the flight began before the window. */
  readonly truncated: boolean;
  readonly persistent: boolean | null;
  readonly energy_forcing_so_far_j: number | null;
  readonly energy_forcing_j: number | null;
  readonly ahead: Ahead | null;
}

/** The next half hour on the same track and level. */
export interface Ahead {
  readonly energy_forcing_j: number | null;
  readonly persistent_km: number;
  /** Minutes from the newest position to the first persistent contrail. */
  readonly first_persistent_min: number | null;
}

const KNOTS_PER_MS = 3600 / 1852;

interface FeatureSettings {
  readonly windowMs: number;
  readonly staleAfterMs: number;
}

/** Undefined for aircraft that are gone or were never seen in the air. */
export function flightFeature(
  flight: KnownFlight,
  ahead: Ahead | undefined,
  nowMs: number,
  { windowMs, staleAfterMs }: FeatureSettings,
): FlightFeature | undefined {
  const { leg, track, result } = flight;
  const { newest } = track ?? {};
  if (track === undefined || newest === undefined || nowMs - track.lastSeenMs > GONE_MS) return undefined;
  const isOnGround = track.groundMs > newest.timeMs;
  return pointOf(newest.longitude, newest.latitude, {
    ...attributesOf(flight),
    ...motionNow(track, newest, nowMs, staleAfterMs),
    first_seen: isoSecond(leg.firstMs),
    truncated: leg.isTruncated || leg.firstMs < nowMs - windowMs,
    persistent: isOnGround ? false : flagOf(lastSegment(result)),
    energy_forcing_so_far_j:
      result?.states === undefined ? zeroWithout(result) : knownSum(result.states.soFar),
    energy_forcing_j: result?.columns.energy_forcing ? knownSum(result.columns.energy_forcing) : null,
    ahead: ahead ?? null,
  });
}

/** The flight where it was reported last; what the models found stays until the next cycle. */
export function movedFeature(
  { properties }: FlightFeature,
  track: AirframeTrack,
  nowMs: number,
  staleAfterMs: number,
): FlightFeature | undefined {
  const { newest } = track;
  if (newest === undefined) return undefined;
  return pointOf(newest.longitude, newest.latitude, {
    ...properties,
    ...motionNow(track, newest, nowMs, staleAfterMs),
  });
}

/** The flight at one of its minutes; undefined if it was not in the air then. */
export function pastFeature(flight: KnownFlight, at: number, timeMs: number): FlightFeature | undefined {
  const { leg, toRun, result } = flight;
  const minute = toRun?.minutes.timeMs.indexOf(timeMs) ?? -1;
  if (toRun === undefined || minute < 0) return undefined;
  const { longitude, latitude, altitudeFt } = toRun.minutes;
  return pointOf(longitude[minute] as number, latitude[minute] as number, {
    ...attributesOf(flight),
    altitude_ft: Math.round(altitudeFt[minute] as number),
    ...motionAt(toRun.minutes, minute),
    first_seen: isoSecond(leg.firstMs),
    last_seen: isoSecond(timeMs),
    state: 'airborne',
    truncated: leg.isTruncated,
    persistent: flagOf(result?.columns.initially_persistent?.[minute]),
    energy_forcing_so_far_j: result?.states?.totals[at] ?? zeroWithout(result),
    energy_forcing_j: result?.columns.energy_forcing
      ? knownSum(result.columns.energy_forcing.subarray(0, minute + 1))
      : null,
    ahead: null,
  });
}

function motionNow(track: AirframeTrack, newest: TrackPosition, nowMs: number, staleAfterMs: number) {
  const isOnGround = track.groundMs > newest.timeMs;
  const isStale = nowMs - track.lastSeenMs > staleAfterMs;
  const motion = isOnGround ? undefined : motionOf(track);
  return {
    altitude_ft: isOnGround || Number.isNaN(newest.altitudeFt) ? null : Math.round(newest.altitudeFt),
    track: motion ? rounded(motion.trackDeg, 1) : null,
    ground_speed_kt: motion ? Math.round(motion.groundSpeedMS * KNOTS_PER_MS) : null,
    vertical_rate_fpm: motion ? Math.round(motion.verticalRateFpm) : null,
    last_seen: isoSecond(track.lastSeenMs),
    state: isStale ? 'stale' : isOnGround ? 'ground' : 'airborne',
  } as const;
}

function motionAt({ timeMs, longitude, latitude, altitudeFt }: LegMinutes, minute: number) {
  const [from, to] = minute === 0 ? [0, 1] : [minute - 1, minute];
  const at = (k: number) => [longitude[k] as number, latitude[k] as number] as const;
  const minutes = ((timeMs[to] as number) - (timeMs[from] as number)) / 60_000;
  const metres = haversineM(...at(from), ...at(to));
  return {
    track: rounded(initialAzimuthDeg(...at(from), ...at(to)), 1),
    ground_speed_kt: Math.round((metres / (60 * minutes)) * KNOTS_PER_MS),
    vertical_rate_fpm: Math.round(((altitudeFt[to] as number) - (altitudeFt[from] as number)) / minutes),
  };
}

function attributesOf({ leg, aircraft }: KnownFlight) {
  const { attributes } = leg;
  return {
    id: leg.flightId,
    icao_address: leg.icaoAddress,
    callsign: attributes?.callsign ?? null,
    aircraft_type_icao: attributes?.aircraft_type_icao ?? aircraft?.aircraftType ?? null,
    aircraft_type_assumed: aircraft?.isAssumed ?? false,
    departure_airport_icao: attributes?.departure_airport_icao ?? null,
    arrival_airport_icao: attributes?.arrival_airport_icao ?? null,
  };
}

/** What the models found of the minutes ahead. */
export function aheadOf({ timeMs, longitude, latitude }: LegMinutes, { columns }: RunLeg): Ahead {
  const persistent = columns.initially_persistent ?? new Float64Array();
  let metres = 0;
  let first: number | null = null;
  for (let k = 0; k + 1 < timeMs.length; k++) {
    if (persistent[k] !== 1) continue;
    first ??= k;
    metres += haversineM(
      longitude[k] as number,
      latitude[k] as number,
      longitude[k + 1] as number,
      latitude[k + 1] as number,
    );
  }
  return {
    energy_forcing_j: columns.energy_forcing ? knownSum(columns.energy_forcing) : null,
    persistent_km: rounded(metres / 1000, 1),
    first_persistent_min: first,
  };
}

function pointOf(longitude: number, latitude: number, properties: FlightProperties): FlightFeature {
  const coordinates = [rounded(longitude, 5), rounded(latitude, 5)] as const;
  return { type: 'Feature', id: properties.id, geometry: { type: 'Point', coordinates }, properties };
}

/** Of the last minute that was flown: a segment reaches from its minute to the next, and the newest has none. */
function lastSegment(result: RunLeg | undefined): number | undefined {
  return result?.columns.initially_persistent?.at(-2);
}

/** Null where nothing is known. */
function knownSum(column: Float64Array): number | null {
  return column.some((value) => !Number.isNaN(value)) ? sumIgnoringNaN(column) : null;
}

/** A flight whose contrails were not followed had none, if it was run at all. */
function zeroWithout(result: RunLeg | undefined): number | null {
  return result?.columns.energy_forcing?.some((value) => !Number.isNaN(value)) ? 0 : null;
}

function flagOf(value: number | undefined): boolean | null {
  return value === undefined || Number.isNaN(value) ? null : value === 1;
}

function rounded(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
