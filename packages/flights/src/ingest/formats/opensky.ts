/** State vectors of the OpenSky Network: one line or list for each aircraft and second; old positions are repeated. */
import type { PositionSource } from '../../telemetry/columns.ts';
import { FormatError } from '../errors.ts';
import { shown } from '../values.ts';
import { CsvReader } from './csv.ts';
import type { LineReader, Reading } from './reading.ts';

const METRES_PER_FOOT = 0.3048;

const CSV_COLUMNS = [
  'time',
  'icao24',
  'lat',
  'lon',
  'callsign',
  'onground',
  'baroaltitude',
  'geoaltitude',
  'lastposupdate',
] as const;

/** Hourly files and exports. */
export function stateCsv(reading: Reading): LineReader {
  const { report, codes } = reading;
  return new CsvReader(reading, 'opensky_state_csv', {
    columns: CSV_COLUMNS,
    required: ['time', 'icao24', 'lat', 'lon'],
    fill(cells) {
      report.address = codes.address(cells.text(1));
      report.latitude = cells.number('lat', 2);
      report.longitude = cells.number('lon', 3);
      report.callsign = codes.read('callsign', cells.text(4));
      report.onGround = reading.flag('onground', cells.text(5));
      report.altitudeBaro = cells.number('baroaltitude', 6) / METRES_PER_FOOT;
      report.altitudeGnss = cells.number('geoaltitude', 7) / METRES_PER_FOOT;
      setTime(reading.time('time', cells.value(0)), reading.time('lastposupdate', cells.value(8)), reading);
    },
  });
}

const SOURCES: readonly PositionSource[] = ['adsb', 'other', 'mlat', 'other'];
/** Surface vehicles and obstacles: categories C1 to C5 of ADS-B, as the interface numbers them. */
const SURFACE_CATEGORIES = { first: 16, last: 20 } as const;

/** What `/states/all` returns. */
export function readStates(document: Readonly<Record<string, unknown>>, reading: Reading): void {
  const { intake, report, codes } = reading;
  const { states, time } = document;
  if (states === null) return;
  if (!Array.isArray(states)) throw new FormatError('the document has no list "states"');
  const rawOf = (state: unknown) => JSON.stringify({ time, states: [state] });
  states.forEach((state: unknown, index) => {
    intake.at('states', index);
    report.clear();
    if (Array.isArray(state)) {
      report.address = codes.address(state[0]);
      report.callsign = codes.read('callsign', state[1]);
      report.longitude = reading.number('longitude', state[5]);
      report.latitude = reading.number('latitude', state[6]);
      report.altitudeBaro = reading.number('baro_altitude', state[7]) / METRES_PER_FOOT;
      report.onGround = reading.flag('on_ground', state[8]);
      report.altitudeGnss = reading.number('geo_altitude', state[13]) / METRES_PER_FOOT;
      report.positionSource = SOURCES[Number(state[16] ?? 0)] ?? 'other';
      const category = Number(state[17] ?? 0);
      report.isSurfaceVehicle = category >= SURFACE_CATEGORIES.first && category <= SURFACE_CATEGORIES.last;
      setTime(reading.time('time', time), reading.time('time_position', state[3]), reading);
    } else {
      report.problem = `${shown(state)} is not a list`;
    }
    intake.add(report, rawOf, state);
  });
}

function setTime(timeMs: number, positionMs: number, { report }: Reading): void {
  report.timestamp = Number.isNaN(positionMs) ? timeMs : positionMs;
  const ageS = (timeMs - report.timestamp) / 1000;
  report.positionAgeS = Number.isNaN(ageS) ? 0 : Math.max(0, ageS);
}
