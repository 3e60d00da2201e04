/** ICAO flight plan messages (FPL) whose route is given by coordinates. */
import {
  destinationLatitude,
  destinationLongitude,
  haversineM,
  initialAzimuthDeg,
} from '@contrails/physics/geodesy';
import type { FlightFormat, FormatContext, Position } from '../contract.ts';
import { FlightDraft } from '../draft.ts';
import { codeOf } from '../flight.ts';
import { FlightFileError } from '../refusals.ts';
import { documentText } from '../text.ts';
import { clockMs, dayMs, detailOf, METRES_PER_FOOT, quoted } from '../values.ts';

const NAME = 'icao_fpl';
/** Distance over the ground for each foot of climb or descent. */
const METRES_PER_CLIMB_FOOT = 6;
const SAME_PLACE_M = 1;

export const icaoFpl: FlightFormat = {
  name: NAME,
  contentTypes: ['text/plain'],
  recognise: ({ text }) => /^\(\s*FPL\s*-/.test(text),

  async *read([content], context) {
    if (content === undefined) return;
    const text = (await documentText(content, context.report)).trim();
    const end = text.indexOf(')');
    if (end === -1) throw wrong('the flight plan has no closing bracket; the file may be cut off');
    if (text.slice(end + 1).trim() !== '')
      throw wrong('text follows the flight plan; give one plan in a file');
    const plan = readMessage(text.slice(1, end), context);
    const draft = new FlightDraft(
      { format: NAME, kind: 'planned', file: content.name, unit: 'waypoint' },
      context.report,
    );
    draft.know({
      flight_id: plan.callsign,
      callsign: plan.callsign,
      tail_number: plan.registration,
      aircraft_type: plan.type,
      departure_airport_icao: codeOf(plan.departure.name),
      arrival_airport_icao: codeOf(plan.arrival.name),
      departure_scheduled_time: plan.startMs,
    });
    trackOf(plan).forEach(({ name, longitude, latitude, altitudeFt, share }, k) => {
      draft.add({
        timeMs: Math.round(plan.startMs + plan.durationMs * share),
        longitude,
        latitude,
        altitudeFt,
        waypoint: name,
        at: k + 1,
      });
    });
    const flight = draft.finish();
    if (flight !== undefined) yield flight;
  },
};

function wrong(message: string): FlightFileError {
  return new FlightFileError('parse_error', message);
}

interface RoutePoint extends Position {
  readonly name: string;
  /** The level from this point on [ft]. */
  readonly levelFt: number;
}

interface Message {
  readonly callsign: string;
  readonly type: string | null;
  readonly registration: string | null;
  readonly startMs: number;
  readonly durationMs: number;
  readonly departure: RoutePoint & { readonly elevationFt: number };
  readonly arrival: RoutePoint & { readonly elevationFt: number };
  readonly route: readonly RoutePoint[];
}

const AERODROME = /^([A-Z][A-Z0-9]{3})(\d\d)(\d\d)$/;

function readMessage(text: string, context: FormatContext): Message {
  const fields = text
    .replace(/\s+/g, ' ')
    .split('-')
    .map((field) => field.trim());
  // The equipment of field 10 may be left out of a field by itself, but never the fields around it.
  const [, callsign = '', , type = '', ...rest] = fields;
  const departureAt = rest.findIndex((field) => AERODROME.test(field));
  const [departure = '', route = '', arrival = '', ...other] = rest.slice(departureAt);
  if (!/^[A-Z0-9]{1,7}$/.test(callsign)) throw wrong(`field 7 ${quoted(callsign)} is not a callsign`);
  if (departureAt === -1) throw wrong('field 13 with the departure, such as EIDW1015, is missing');
  const from = AERODROME.exec(departure);
  const to = AERODROME.exec(arrival.split(' ')[0] ?? '');
  if (from === null || to === null) {
    throw wrong(`field 16 ${quoted(arrival)} is not a destination with its time, such as CYQX0420`);
  }
  const others = other.join('-');
  const dof = /\bDOF\/(\d\d)(\d\d)(\d\d)\b/.exec(others);
  if (dof === null) {
    throw new FlightFileError('missing_time', 'field 18 has no date of flight; add DOF/YYMMDD');
  }
  const day = dayMs(2000 + Number(dof[1]), Number(dof[2]), Number(dof[3]));
  const startMs = day + clockMs(Number(from[2]), Number(from[3]), 0);
  const durationMs = (Number(to[2]) * 60 + Number(to[3])) * 60_000;
  if (Number.isNaN(startMs))
    throw wrong(`the date or time of departure ${dof[0]} ${departure} does not exist`);
  if (durationMs === 0 || Number(to[3]) > 59)
    throw wrong(`the time of flight of ${quoted(arrival)} is not a time`);
  const points = readRoute(route, context);
  return {
    callsign,
    type: codeOf(
      /^\d{0,2}([A-Z][A-Z0-9]{1,3})\//.exec(type)?.[1] ?? /^\d{0,2}([A-Z][A-Z0-9]{1,3})$/.exec(type)?.[1],
    ),
    registration: detailOf(/\bREG\/([A-Z0-9]+)/.exec(others)?.[1]),
    startMs,
    durationMs,
    departure: aerodrome(from[1] as string, context),
    arrival: aerodrome(to[1] as string, context),
    route: points,
  };
}

function aerodrome(icao: string, { findAirport }: FormatContext): Message['departure'] {
  const found = findAirport(icao);
  if (found === undefined)
    throw new FlightFileError('unknown_point', `the aerodrome ${icao} is not in the table of airports`);
  const { longitude, latitude, elevationFt } = found;
  return { name: icao, longitude, latitude, levelFt: elevationFt, elevationFt };
}

const SPEED_LEVEL = /^(?:N\d{4}|K\d{4}|M\d{3})(F\d{3}|A\d{3}|S\d{4}|M\d{4}|VFR)$/;
const COORDINATE = /^(\d\d)(\d\d)?(\d\d)?([NS])(\d\d\d)(\d\d)?(\d\d)?([EW])$/;
const SKIPPED = ['DCT', 'IFR', 'VFR'];

function readRoute(text: string, context: FormatContext): RoutePoint[] {
  const points: RoutePoint[] = [];
  let levelFt = Number.NaN;
  for (const word of text.split(' ')) {
    if (word === '' || SKIPPED.includes(word)) continue;
    const alone = levelOf(word);
    if (alone !== undefined) {
      levelFt = alone;
      continue;
    }
    const [name = '', change] = word.split('/');
    const position = coordinateOf(name) ?? context.options.navdata?.get(name);
    const changed = change === undefined ? levelFt : levelOf(change);
    if (position === undefined || changed === undefined) throw unknownPoint(word);
    levelFt = changed;
    if (Number.isNaN(levelFt)) throw wrong('field 15 has no speed and level, such as N0450F350');
    points.push({ ...position, name, levelFt });
  }
  if (Number.isNaN(levelFt)) throw wrong('field 15 has no speed and level, such as N0450F350');
  // A direct route has its level in a point that is not a waypoint.
  return points.length > 0 ? points : [{ name: '', longitude: Number.NaN, latitude: Number.NaN, levelFt }];
}

function unknownPoint(word: string): FlightFileError {
  return new FlightFileError(
    'unknown_point',
    `${quoted(word)} of field 15 is not a coordinate such as 5530N02000W; routes with named points need navigation data (--navdata)`,
  );
}

/** Feet; undefined where the word is not a speed and level. */
function levelOf(word: string): number | undefined {
  const level = SPEED_LEVEL.exec(word)?.[1];
  if (level === undefined || level === 'VFR') return undefined;
  const value = Number(level.slice(1));
  return level[0] === 'F' || level[0] === 'A' ? value * 100 : (value * 10) / METRES_PER_FOOT;
}

function coordinateOf(text: string): Position | undefined {
  const match = COORDINATE.exec(text);
  if (match === null) return undefined;
  const angle = (at: number) =>
    Number(match[at]) + Number(match[at + 1] ?? 0) / 60 + Number(match[at + 2] ?? 0) / 3600;
  const latitude = angle(1) * (match[4] === 'S' ? -1 : 1);
  const longitude = angle(5) * (match[8] === 'W' ? -1 : 1);
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { longitude, latitude } : undefined;
}

interface TrackPoint extends Position {
  readonly name: string;
  readonly altitudeFt: number;
  /** Of the distance. */
  readonly share: number;
}

/** Great circles between the points, a climb from the departure and a descent to the arrival. */
function trackOf({ departure, arrival, route }: Message): TrackPoint[] {
  const levels = route.map(({ levelFt }) => levelFt);
  const stops = [departure, ...route.filter(({ name }) => name !== ''), arrival];
  const distances = [0];
  for (let k = 1; k < stops.length; k++) {
    const [a, b] = [stops[k - 1] as RoutePoint, stops[k] as RoutePoint];
    distances.push(
      (distances[k - 1] as number) + haversineM(a.longitude, a.latitude, b.longitude, b.latitude),
    );
  }
  const total = distances.at(-1) as number;
  if (total === 0) throw wrong('departure and arrival are the same place; the route needs coordinates');
  const [firstFt, lastFt] = [levels[0] as number, levels.at(-1) as number];
  const climb = METRES_PER_CLIMB_FOOT * Math.max(0, firstFt - departure.elevationFt);
  const descent = METRES_PER_CLIMB_FOOT * Math.max(0, lastFt - arrival.elevationFt);
  const fit = Math.min(1, total / (climb + descent || 1));
  const [top, bottom] = [climb * fit, total - descent * fit];
  /** The level that the route gives, within the climb and the descent. */
  const altitudeAt = (distance: number, levelFt: number): number => {
    const up = departure.elevationFt + ((firstFt - departure.elevationFt) * distance) / (top || 1);
    const down =
      arrival.elevationFt + ((lastFt - arrival.elevationFt) * (total - distance)) / (total - bottom || 1);
    return Math.min(levelFt, distance < top ? up : levelFt, distance > bottom ? down : levelFt);
  };
  const track: TrackPoint[] = stops.map((stop, k) => ({
    name: stop.name,
    longitude: stop.longitude,
    latitude: stop.latitude,
    altitudeFt:
      k === 0 || k === stops.length - 1 ? stop.levelFt : altitudeAt(distances[k] as number, stop.levelFt),
    share: (distances[k] as number) / total,
  }));
  const extra = (name: string, distance: number, levelFt: number) => {
    if (track.some(({ share }) => Math.abs(share * total - distance) <= SAME_PLACE_M)) return;
    const k = distances.findIndex((one) => one > distance) - 1;
    const [a, b] = [stops[k] as RoutePoint, stops[k + 1] as RoutePoint];
    const azimuth = initialAzimuthDeg(a.longitude, a.latitude, b.longitude, b.latitude);
    const along = distance - (distances[k] as number);
    track.push({
      name,
      longitude: destinationLongitude(a.longitude, a.latitude, azimuth, along),
      latitude: destinationLatitude(a.latitude, azimuth, along),
      altitudeFt: altitudeAt(distance, levelFt),
      share: distance / total,
    });
  };
  if (climb > 0) extra('TOC', top, firstFt);
  if (descent > 0) extra('TOD', bottom, lastFt);
  return track.sort((a, b) => a.share - b.share);
}
