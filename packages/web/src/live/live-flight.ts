/** A flight in the air as other parts of the app take it: its points, its way ahead, its body for planning. */
import type { components, Flight, LiveFlightDetail } from '@contrails/client';
import { destinationLatitude, destinationLongitude } from '@contrails/physics/geodesy';
import type { ResultPoint } from '../flight/result.ts';
import { distanceKm, type FlightInput, type Position } from '../track.ts';
import { MINUTE_MS } from './live-state.ts';
import type { Aircraft, FlightFacts } from './sky.ts';

const AHEAD_MINUTES = 30;
const METRES_PER_KNOT_MINUTE = 1852 / 60;

/** Its minutes with what the models found of them. */
export function pointsOf({ time, longitude, latitude, altitude, columns }: LiveFlightDetail): ResultPoint[] {
  const at = (k: number) => ({ longitude: longitude[k] ?? 0, latitude: latitude[k] ?? 0 });
  const value = (name: string, k: number) => columns[name]?.[k] ?? null;
  return time.map((text, k) => ({
    ...at(k),
    timeMs: Date.parse(text),
    altitudeFt: altitude[k] ?? 0,
    energyForcing: value('energy_forcing', k),
    contrailAgeMin: value('contrail_age', k),
    sac: value('sac', k),
    rhi: value('rhi', k),
    segmentKm: k + 1 < time.length ? distanceKm(at(k), at(k + 1)) : 0,
  }));
}

/** For the flight view, which computes it again with all that belongs to it. */
export function inputOf(detail: LiveFlightDetail): FlightInput {
  const facts = detail.flight.properties;
  return {
    name: nameOf(facts),
    aircraftType: facts.aircraft_type_icao ?? undefined,
    points: pointsOf(detail),
    notes: [
      'This flight is in the air: it ends with its newest minute.',
      ...(facts.truncated ? ['It began before the hours that are kept.'] : []),
      ...(facts.aircraft_type_assumed
        ? [`Its type is not known; it is computed as type ${facts.aircraft_type_icao}.`]
        : []),
    ],
  };
}

export function nameOf({
  callsign,
  icao_address: address,
  departure_airport_icao: from,
  arrival_airport_icao: to,
}: FlightFacts): string {
  const route = from === null && to === null ? '' : ` ${from ?? '?'}–${to ?? '?'}`;
  return `${callsign ?? address}${route}`;
}

/** Where it is in each of the next 30 minutes if it goes on like this; empty where the service predicts nothing. */
export function wayAhead({
  facts,
  longitude,
  latitude,
  seenMs,
}: Aircraft): (Position & { timeMs: number })[] {
  const { track, ground_speed_kt: speed, ahead } = facts;
  if (track === null || speed === null || ahead === null) return [];
  return Array.from({ length: AHEAD_MINUTES + 1 }, (_, minute) => {
    const metres = minute * speed * METRES_PER_KNOT_MINUTE;
    return {
      longitude: destinationLongitude(longitude, latitude, track, metres),
      latitude: destinationLatitude(latitude, track, metres),
      timeMs: seenMs + minute * MINUTE_MS,
    };
  });
}

/** The next half hour as a flight to plan; undefined where nothing is predicted of it. */
export function aheadBody(aircraft: Aircraft): (Flight & { aircraft_type: string }) | undefined {
  const { altitude_ft: altitude, aircraft_type_icao: type } = aircraft.facts;
  const points = wayAhead(aircraft);
  if (points.length === 0 || altitude === null || type === null) return undefined;
  return {
    longitude: points.map(({ longitude }) => longitude),
    latitude: points.map(({ latitude }) => latitude),
    altitude: points.map(() => altitude),
    time: points.map(({ timeMs }) => new Date(timeMs).toISOString()),
    aircraft_type: type,
  };
}

type LevelRow = components['schemas']['PlanFigures'];

/** Lengths below it are one minute that hardly forms a contrail [km]. */
const NONE_KM = 1;

/** Which level would leave no contrail that lasts in the next half hour, the nearest first. */
export function levelsText({ rows }: { readonly rows: readonly LevelRow[] }, altitudeFt: number): string {
  const own = rows.find(({ kind }) => kind === 'baseline');
  if (own?.persistent_km == null) return 'The weather ahead is not known.';
  if (own.persistent_km < NONE_KM) return 'At its own level it leaves none in the next 30 minutes.';
  const away = (level: number | null) => Math.abs(100 * (level ?? 0) - altitudeFt);
  const open = rows
    .filter(
      ({ kind, status, persistent_km }) => kind === 'level' && status === 'ok' && persistent_km !== null,
    )
    .toSorted((a, b) => away(a.flight_level) - away(b.flight_level));
  const free = open.find(({ persistent_km }) => (persistent_km ?? 0) < NONE_KM);
  if (free !== undefined) {
    const fuel = own.fuel_kg && free.fuel_kg ? (100 * (free.fuel_kg - own.fuel_kg)) / own.fuel_kg : 0;
    const more = `${fuel < 0 ? '−' : '+'}${Math.abs(fuel).toFixed(1)} % fuel`;
    return `At FL ${free.flight_level} it would leave none in the next 30 minutes (${more}); at its own level ${Math.round(own.persistent_km)} km.`;
  }
  const [best] = open.toSorted((a, b) => (a.persistent_km ?? 0) - (b.persistent_km ?? 0));
  return best === undefined || (best.persistent_km ?? 0) >= own.persistent_km
    ? 'No level that it can fly leaves less in the next 30 minutes.'
    : `No level leaves none in the next 30 minutes; FL ${best.flight_level} leaves least, ${Math.round(best.persistent_km ?? 0)} km of ${Math.round(own.persistent_km)} km.`;
}
