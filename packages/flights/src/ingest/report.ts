import type { CollectionType, PositionSource } from '../telemetry/columns.ts';
import type { RefusalCode } from './refusals.ts';

/**
 * One record of an input, as its reader understands it. A reader has one such object and refills it for each record, to allocate
 * nothing for a row. NaN is an unknown number, null an unknown text.
 */
export class Report {
  /** What is wrong with the record when it cannot be read. */
  problem: string | null = null;
  /** In upper case. */
  address: string | null = null;
  timestamp = Number.NaN;
  latitude = Number.NaN;
  longitude = Number.NaN;
  collectionType: CollectionType = 'terrestrial';
  altitudeBaro = Number.NaN;
  altitudeGnss = Number.NaN;
  flightId: string | null = null;
  callsign: string | null = null;
  tailNumber: string | null = null;
  flightNumber: string | null = null;
  aircraftType: string | null = null;
  airline: string | null = null;
  departureAirport: string | null = null;
  departureTime = Number.NaN;
  arrivalAirport: string | null = null;
  arrivalTime = Number.NaN;
  nic = Number.NaN;
  nacp = Number.NaN;
  positionSource: PositionSource = 'adsb';
  positionAgeS = 0;
  legFlag = false;
  onGround = false;
  isSurfaceVehicle = false;

  clear(): void {
    this.problem = null;
    this.address = null;
    this.timestamp = Number.NaN;
    this.latitude = Number.NaN;
    this.longitude = Number.NaN;
    this.collectionType = 'terrestrial';
    this.altitudeBaro = Number.NaN;
    this.altitudeGnss = Number.NaN;
    this.flightId = null;
    this.callsign = null;
    this.tailNumber = null;
    this.flightNumber = null;
    this.aircraftType = null;
    this.airline = null;
    this.departureAirport = null;
    this.departureTime = Number.NaN;
    this.arrivalAirport = null;
    this.arrivalTime = Number.NaN;
    this.nic = Number.NaN;
    this.nacp = Number.NaN;
    this.positionSource = 'adsb';
    this.positionAgeS = 0;
    this.legFlag = false;
    this.onGround = false;
    this.isSurfaceVehicle = false;
  }
}

const MAX_AGE_S = 15;
export const MAX_CLOCK_ERROR_MS = 60_000;
/** Hours are named by years of four digits. */
export const MIN_TIME_MS = Date.parse('0000-01-01T00:00:00Z');
export const BARO_FT = { min: -2_000, max: 60_000 } as const;
export const GNSS_FT = { min: -2_000, max: 70_000 } as const;
/** Addresses that transponders send when they have none. */
export const NO_ADDRESSES = ['000000', '00000A', '0000BA', 'FFFFFF'] as const;
export const ADDRESS_PATTERN = '[0-9A-F]{6}';
const ADDRESS = new RegExp(`^${ADDRESS_PATTERN}$`);
const NO_ADDRESS: ReadonlySet<string> = new Set(NO_ADDRESSES);

/** The first reason to refuse a report. It also folds the longitude and rounds altitudes. */
export function refusalOf(report: Report, nowMs: number): RefusalCode | undefined {
  if (report.timestamp < MIN_TIME_MS) report.problem ??= `timestamp is ${report.timestamp} ms since 1970`;
  if (report.problem !== null) return 'parse_error';
  const { address } = report;
  if (address === null || address === '') return 'missing_address';
  if (!isAddress(address)) return address.startsWith('~') ? 'non_icao_address' : 'bad_address';
  const ofPosition = positionRefusal(report.timestamp, report.latitude, report.longitude, nowMs);
  if (ofPosition === undefined || ofPosition === 'null_island')
    report.longitude = foldedLongitude(report.longitude);
  if (ofPosition !== undefined) return ofPosition;
  if (report.positionAgeS > MAX_AGE_S) return 'stale_position';
  if (report.onGround) return 'on_ground';
  if (report.isSurfaceVehicle) return 'surface_vehicle';
  const baro = roundHalfUp(report.altitudeBaro);
  const gnss = roundHalfUp(report.altitudeGnss);
  report.altitudeBaro = baro;
  report.altitudeGnss = gnss;
  if (Number.isNaN(baro) && Number.isNaN(gnss)) return 'missing_altitude';
  if (baro < BARO_FT.min || baro > BARO_FT.max || gnss < GNSS_FT.min || gnss > GNSS_FT.max) {
    return 'altitude_out_of_range';
  }
  return undefined;
}

const MAX_KNOWN = 50_000;
/** Valid addresses seen so far: an aircraft reports often, and a lookup is faster than a check. */
const known = new Set<string>();

function isAddress(address: string): boolean {
  if (known.has(address)) return true;
  if (!ADDRESS.test(address) || NO_ADDRESS.has(address)) return false;
  if (known.size >= MAX_KNOWN) known.clear();
  known.add(address);
  return true;
}

/** The first reason to refuse a report by its time [ms since 1970] and place. */
export function positionRefusal(
  timestamp: number,
  latitude: number,
  longitude: number,
  nowMs: number,
): RefusalCode | undefined {
  if (Number.isNaN(latitude) || Number.isNaN(longitude)) return 'missing_position';
  if (Number.isNaN(timestamp)) return 'missing_time';
  if (timestamp > nowMs + MAX_CLOCK_ERROR_MS) return 'time_in_future';
  if (!(Math.abs(latitude) <= 90 && longitude >= -180 && longitude <= 360)) return 'position_out_of_range';
  return latitude === 0 && foldedLongitude(longitude) === 0 ? 'null_island' : undefined;
}

/** From −180 to 180, of a longitude up to 360. */
export function foldedLongitude(longitude: number): number {
  return longitude >= 180 ? longitude - 360 : longitude;
}

/** Details of a refusal beyond its code. */
export function detailOf(code: RefusalCode, report: Report): string {
  const address = report.address ?? '';
  switch (code) {
    case 'parse_error':
      return report.problem ?? '';
    case 'missing_address':
      return 'the record has no transponder address';
    case 'bad_address':
      return `${JSON.stringify(address)} is not the address of an aircraft`;
    case 'missing_time':
      return `${address} at an unknown time`;
    case 'time_in_future':
      return `${address} at ${shownTime(report.timestamp)}, which is in the future; check the clock of the source`;
    case 'position_out_of_range':
      return `${address} at latitude ${report.latitude}, longitude ${report.longitude}`;
    case 'stale_position':
      return `${address}, position ${toMillis(report.positionAgeS)} s old`;
    case 'altitude_out_of_range':
      return `${address} at ${shownAltitudes(report)}`;
    default:
      return address;
  }
}

/** A number to three decimals. Most have no more, and to write and read a number takes longer than all checks. */
function toMillis(value: number): number {
  return Math.round(value * 1000) / 1000 === value ? value : Number(value.toFixed(3));
}

/** Math.round rounds half up; adding 0 turns −0 into 0. */
function roundHalfUp(value: number): number {
  return Math.round(value) + 0;
}

function shownTime(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms since 1970`;
}

function shownAltitudes({ altitudeBaro, altitudeGnss }: Report): string {
  const shown = Number.isNaN(altitudeBaro) ? [] : [`${altitudeBaro} ft barometric`];
  if (!Number.isNaN(altitudeGnss)) shown.push(`${altitudeGnss} ft geometric`);
  return shown.join(', ');
}
