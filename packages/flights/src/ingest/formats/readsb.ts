/** Receivers with readsb or tar1090, and aggregators with the same formats: snapshots of all aircraft, and traces of one. */
import type { PositionSource } from '../../telemetry/columns.ts';
import { FormatError } from '../errors.ts';
import { categoryOf, msOfNumber, shown, UNREADABLE } from '../values.ts';
import { objectOf, type Reading } from './reading.ts';

type Json = Readonly<Record<string, unknown>>;

/** `aircraft.json`, `history_N.json` and version 2 of the aggregators' API. */
export function readAircraft(document: Json, reading: Reading): void {
  const { intake } = reading;
  const list = [document.aircraft, document.ac].find(Array.isArray);
  if (list === undefined) throw new FormatError('the document has no list "aircraft" or "ac"');
  const rawOf = (item: unknown) => JSON.stringify({ now: document.now, aircraft: [item] });
  list.forEach((item: unknown, index) => {
    intake.at('aircraft', index);
    reading.report.clear();
    fillFromAircraft(document.now, item, reading);
    intake.add(reading.report, rawOf, item);
  });
}

function fillFromAircraft(now: unknown, item: unknown, reading: Reading): void {
  const { report, codes } = reading;
  const aircraft = objectOf(item);
  if (aircraft === undefined) {
    report.problem = `${shown(item)} is not an object`;
    return;
  }
  const nowMs = secondsOrMs('now', now, reading);
  const ageS = reading.number('seen_pos', aircraft.seen_pos);
  report.address = codes.address(aircraft.hex);
  report.timestamp = Math.round(nowMs - ageS * 1000);
  report.latitude = reading.number('lat', aircraft.lat);
  report.longitude = reading.number('lon', aircraft.lon);
  report.altitudeBaro = altitudeOf(aircraft.alt_baro);
  report.altitudeGnss = altitudeOf(aircraft.alt_geom);
  report.onGround = aircraft.alt_baro === 'ground';
  report.positionAgeS = Math.max(0, ageS);
  report.callsign = codes.read('callsign', aircraft.flight);
  report.tailNumber = codes.read('tail_number', aircraft.r);
  report.aircraftType = codes.read('aircraft_type_icao', aircraft.t);
  report.nic = categoryOf(reading.number('nic', aircraft.nic));
  report.nacp = categoryOf(reading.number('nac_p', aircraft.nac_p));
  setKind(aircraft.type, aircraft.category, reading);
  // Receivers that name no type list the fields that they did not hear themselves.
  if (aircraft.type === undefined && isListed('lat', aircraft.mlat)) report.positionSource = 'mlat';
  if (aircraft.type === undefined && isListed('lat', aircraft.tisb)) report.positionSource = 'tisb';
}

const NEW_LEG = 2;
const GEOMETRIC_ALTITUDE = 8;

/** Details of an entry that also apply to the next ones. */
interface Carried {
  callsign: unknown;
  nic: unknown;
  nacp: unknown;
  category: unknown;
}

/** `trace_full_<address>.json`: one aircraft, an entry for each report. */
export function readTrace(document: Json, reading: Reading): void {
  const { intake, report, codes } = reading;
  const { trace } = document;
  if (!Array.isArray(trace)) throw new FormatError('the document has no list "trace"');
  const { icao, r, t, timestamp } = document;
  const carried: Carried = { callsign: undefined, nic: undefined, nacp: undefined, category: undefined };
  const rawOf = (entry: unknown) =>
    JSON.stringify({ icao, r, t, timestamp, trace: [withCarried(entry, carried)] });
  const address = codes.address(icao);
  const tailNumber = codes.read('tail_number', r);
  const aircraftType = codes.read('aircraft_type_icao', t);
  for (let index = 0; index < trace.length; index++) {
    const entry: unknown = trace[index];
    intake.at('trace', index);
    report.clear();
    report.address = address;
    report.tailNumber = tailNumber;
    report.aircraftType = aircraftType;
    if (Array.isArray(entry)) fillFromEntry(entry, timestamp, carried, reading);
    else report.problem = `${shown(entry)} is not a list`;
    intake.add(report, rawOf, entry);
  }
}

function fillFromEntry(entry: readonly unknown[], startS: unknown, carried: Carried, reading: Reading): void {
  const { report, codes } = reading;
  const details = objectOf(entry[8]);
  if (details !== undefined) {
    carried.callsign = details.flight ?? carried.callsign;
    carried.nic = details.nic ?? carried.nic;
    carried.nacp = details.nac_p ?? carried.nacp;
    carried.category = details.category ?? carried.category;
  }
  const flags = reading.number('flags', entry[6]);
  const isGeometric = (flags & GEOMETRIC_ALTITUDE) !== 0;
  const altitude = altitudeOf(entry[3]);
  const geometric = altitudeOf(entry[10] ?? details?.alt_geom);
  const timeMs = (reading.number('timestamp', startS) + reading.number('seconds', entry[0])) * 1000;
  report.timestamp = Math.round(timeMs);
  report.latitude = reading.number('latitude', entry[1]);
  report.longitude = reading.number('longitude', entry[2]);
  report.altitudeBaro = isGeometric ? Number.NaN : altitude;
  report.altitudeGnss = isGeometric && !Number.isNaN(altitude) ? altitude : geometric;
  report.onGround = entry[3] === 'ground';
  report.legFlag = (flags & NEW_LEG) !== 0;
  report.callsign = codes.read('callsign', carried.callsign);
  report.nic = categoryOf(reading.number('nic', carried.nic));
  report.nacp = categoryOf(reading.number('nac_p', carried.nacp));
  setKind(entry[9] ?? details?.type, carried.category, reading);
}

/** The entry with what it has from earlier ones, so it can stand alone. */
function withCarried(entry: unknown, { callsign, nic, nacp, category }: Carried): unknown {
  if (!Array.isArray(entry)) return entry;
  const details = { flight: callsign, nic, nac_p: nacp, category, ...objectOf(entry[8]) };
  return entry.length < 9 ? entry : entry.with(8, details);
}

const SOURCES: readonly (readonly [start: string, source: PositionSource])[] = [
  ['adsb', 'adsb'],
  ['adsr', 'adsr'],
  ['tisb', 'tisb'],
  ['mlat', 'mlat'],
  ['adsc', 'adsc'],
];

function setKind(type: unknown, category: unknown, { report }: Reading): void {
  if (typeof type === 'string') {
    report.positionSource = SOURCES.find(([start]) => type.startsWith(start))?.[1] ?? 'other';
    report.collectionType = type === 'adsc' ? 'satellite' : 'terrestrial';
  }
  report.isSurfaceVehicle =
    type === 'adsb_icao_nt' || (typeof category === 'string' && category.startsWith('C'));
}

/** Receivers write "ground" and other words where there is no altitude. */
function altitudeOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

function isListed(field: string, fields: unknown): boolean {
  return Array.isArray(fields) && fields.includes(field);
}

function secondsOrMs(name: string, value: unknown, reading: Reading): number {
  const ms = msOfNumber(reading.number(name, value));
  if (ms !== UNREADABLE) return ms;
  reading.report.problem ??= `${name} is ${shown(value)}, which is not a time`;
  return Number.NaN;
}
