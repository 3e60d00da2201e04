/**
 * What receivers would hear of a synthetic fleet, as lines of a commercial target stream (`target_ndjson`), with the faults
 * of real feeds: gaps over oceans, satellite reports without an identifier, repeated and contradicting reports, identifiers
 * that break in flight, reports from the ground, GNSS interference and transponders that are wrong.
 */

import type { Airport } from '@contrails/flights';
import { MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import { chance } from './chance.ts';
import {
  legsBetween,
  type SyntheticAirframe,
  type SyntheticFleetSettings,
  type SyntheticLeg,
  syntheticFleet,
} from './fleet.ts';
import type { ProfilePoint } from './profile.ts';

export interface SyntheticTraffic {
  readonly fleet: readonly SyntheticAirframe[];
  /** The lines of all reports from `fromMs` to before `toMs` [ms since 1970]; each string holds those of one airframe. */
  lines(fromMs: number, toMs: number): Generator<string>;
}

const REPORT_MS = 30 * SECOND_MS;
/** Some receivers pass on every position; thinning has to bring these down to one report in 30 s. */
const DENSE_REPORT_MS = 10 * SECOND_MS;
const SATELLITE_REPORT_MS = 5 * MINUTE_MS;
/** Time on the ground before and after a leg in which reports are heard. */
const TAXI_MS = 4 * MINUTE_MS;
/** Receivers stand at airports and hear an aircraft in cruise this far. */
const RECEIVER_REACH_KM = 370;
const KM_PER_DEGREE = 111.2;

/** Shares of airframes, legs or reports with each fault. */
const SHARES = {
  denseAirframe: 0.03,
  satelliteAirframe: 0.6,
  gnssOnlyAirframe: 0.01,
  untypedAirframe: 0.01,
  routelessLeg: 0.05,
  brokenIdLeg: 0.03,
  repeatedReport: 0.01,
  contradictingReport: 0.001,
  unreadableReport: 0.00005,
} as const;

/** Where GNSS is jammed: the eastern Mediterranean. */
const JAMMED = { west: 30, east: 37, south: 32, north: 37 };

/** The two airframes whose transponders are wrong. */
const UNADDRESSED_AIRFRAME = 1;
const JUMPING_AIRFRAME = 2;

interface Report extends ProfilePoint {
  readonly timeMs: number;
  readonly onGround: boolean;
  readonly bySatellite: boolean;
}

export function openSyntheticTraffic(settings: SyntheticFleetSettings): SyntheticTraffic {
  const { seed } = settings;
  const fleet = syntheticFleet(settings);
  const isHeard = receiverCover(settings.airports);
  return {
    fleet,
    *lines(fromMs, toMs) {
      for (const airframe of fleet) {
        const lines = airframeLines(airframe, fromMs, toMs);
        if (lines !== '') yield lines;
      }
    },
  };

  function airframeLines(airframe: SyntheticAirframe, fromMs: number, toMs: number): string {
    let text = '';
    for (const leg of legsBetween(airframe, fromMs - TAXI_MS, toMs + TAXI_MS)) {
      const write = lineWriter(leg);
      for (const report of reportsOf(leg, fromMs, toMs)) text += write(report);
    }
    return text;
  }

  function* reportsOf(leg: SyntheticLeg, fromMs: number, toMs: number): Generator<Report> {
    const { airframe, takeoffMs, landingMs, profile } = leg;
    const draw = (subject: string) => chance(seed, subject, airframe.index);
    const stepMs = draw('dense') < SHARES.denseAirframe ? DENSE_REPORT_MS : REPORT_MS;
    const hasSatellite = draw('satellite') < SHARES.satelliteAirframe;
    const startMs = takeoffMs - TAXI_MS + SECOND_MS * Math.floor((stepMs / SECOND_MS) * draw('second'));
    const first = Math.max(Math.ceil((fromMs - startMs) / stepMs), 0);
    const endMs = Math.min(landingMs + TAXI_MS, toMs);
    for (let timeMs = startMs + first * stepMs; timeMs < endMs; timeMs += stepMs) {
      const point = profile.at(timeMs - takeoffMs);
      const onGround = timeMs <= takeoffMs || timeMs >= landingMs;
      if (isHeard(point)) yield { ...point, timeMs, onGround, bySatellite: false };
      else if (hasSatellite && timeMs % SATELLITE_REPORT_MS < stepMs)
        yield { ...point, timeMs, onGround: false, bySatellite: true };
    }
  }

  function lineWriter(leg: SyntheticLeg): (report: Report) => string {
    const { airframe, number, takeoffMs, landingMs } = leg;
    const draw = (subject: string, ...numbers: number[]) =>
      chance(seed, subject, airframe.index, number, ...numbers);
    const isRouteless = draw('routeless') < SHARES.routelessLeg;
    const brokenMs = draw('broken') < SHARES.brokenIdLeg ? (takeoffMs + landingMs) / 2 : Infinity;
    const isTyped = chance(seed, 'untyped', airframe.index) >= SHARES.untypedAirframe;
    const hasPressure = chance(seed, 'gnss', airframe.index) >= SHARES.gnssOnlyAirframe;
    const flightNumber = 100 + 2 * (airframe.index % 4_000) + (number & 1);
    const rest = [
      ['callsign', `${airframe.airline.callsign}${flightNumber}`],
      ['tail_number', airframe.tailNumber],
      ['flight_number', `${airframe.airline.iata}${flightNumber}`],
      ['aircraft_type_icao', isTyped ? airframe.type : undefined],
      ['airline_iata', airframe.airline.iata],
      ['departure_airport_icao', isRouteless ? undefined : leg.origin.icao],
      ['departure_scheduled_time', isoSecond(takeoffMs - 15 * MINUTE_MS)],
      ['arrival_airport_icao', isRouteless ? undefined : leg.destination.icao],
      ['arrival_scheduled_time', isoSecond(landingMs + 10 * MINUTE_MS)],
    ]
      .flatMap(([name, value]) => (value === undefined ? [] : `,"${name}":"${value}"`))
      .join('');
    const ids = [0, 1].map((half) => legId(draw('id', half), draw('id', half, 1), draw('id', half, 2)));

    return (report) => {
      const second = report.timeMs / SECOND_MS;
      const line = write(report, 0);
      if (draw('repeated', second) < SHARES.repeatedReport) return line + line;
      if (draw('unreadable', second) < SHARES.unreadableReport) return `${line.slice(0, 120)}\n`;
      if (draw('contradicting', second) < SHARES.contradictingReport) return line + write(report, 0.02);
      return line;
    };

    function write({ timeMs, onGround, bySatellite, ...point }: Report, northDeg: number): string {
      const altitude = 25 * Math.round(point.altitudeFt / 25);
      const { latitude, longitude } = shifted(point, timeMs, northDeg);
      const quality = isJammed(point) && !onGround ? 2 : 9;
      return (
        `{"target":{"timestamp":"${isoSecond(timeMs)}","icao_address":"${address(timeMs)}",` +
        `"collection_type":"${bySatellite ? 'satellite' : 'terrestrial'}",` +
        `"latitude":${latitude.toFixed(5)},"longitude":${longitude.toFixed(5)},` +
        (hasPressure ? `"altitude_baro":${altitude},` : '') +
        `"altitude_gnss":${altitude + 25 * Math.round((altitude * 0.02) / 25)},"on_ground":${onGround}` +
        (bySatellite
          ? ''
          : `,"flight_id":"${ids[timeMs < brokenMs ? 0 : 1]}"${rest},"nic":${quality - 1},"nacp":${quality}`) +
        '}}\n'
      );
    }

    function address(timeMs: number): string {
      const isLost = airframe.index === UNADDRESSED_AIRFRAME && timeMs > (takeoffMs + landingMs) / 2;
      return isLost ? '000000' : airframe.icaoAddress;
    }

    /** The position that is reported: wrong by some degrees now and then where the transponder is. */
    function shifted(point: ProfilePoint, timeMs: number, northDeg: number): ProfilePoint {
      const jump = airframe.index === JUMPING_AIRFRAME && draw('jump', timeMs / SECOND_MS) < 0.03 ? 3 : 0;
      return { ...point, latitude: Math.min(point.latitude + northDeg + jump, 89) };
    }
  }
}

/** Which points are heard: those near a large or medium airport, by a map of whole degrees. */
function receiverCover(airports: readonly Airport[]): (point: ProfilePoint) => boolean {
  const isCovered = new Uint8Array(180 * 360);
  const reachDeg = RECEIVER_REACH_KM / KM_PER_DEGREE;
  for (const { latitude, longitude, size } of airports) {
    if (size === 'small') continue;
    for (let south = Math.floor(latitude - reachDeg); south <= latitude + reachDeg; south++) {
      if (south < -90 || south > 89) continue;
      const dy = south + 0.5 - latitude;
      const scale = Math.max(Math.cos((latitude * Math.PI) / 180), 0.05);
      const half = Math.sqrt(Math.max(reachDeg * reachDeg - dy * dy, 0)) / scale;
      for (let west = Math.floor(longitude - half); west <= longitude + half; west++)
        isCovered[(south + 90) * 360 + ((((west + 180) % 360) + 360) % 360)] = 1;
    }
  }
  return ({ latitude, longitude }) => {
    const row = Math.min(Math.floor(latitude + 90), 179);
    return isCovered[row * 360 + (Math.floor(longitude + 180) % 360)] === 1;
  };
}

function isJammed({ latitude, longitude }: ProfilePoint): boolean {
  return (
    longitude > JAMMED.west && longitude < JAMMED.east && latitude > JAMMED.south && latitude < JAMMED.north
  );
}

/** A UUID of version 8 (made by the application) from three numbers in [0, 1). */
function legId(a: number, b: number, c: number): string {
  const hex = (share: number) =>
    Math.floor(share * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const [first, second, third] = [hex(a), hex(b), hex(c)];
  return `${first}-${second.slice(0, 4)}-8${second.slice(4, 7)}-8${third.slice(0, 3)}-${third.slice(3)}${first.slice(1)}`;
}

function isoSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
