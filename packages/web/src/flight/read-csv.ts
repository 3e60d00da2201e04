import type { FlightInput, Waypoint } from '../track.ts';
import { checkedWaypoint, FileError, METRES_PER_FOOT } from './flight.ts';
import { timeMsOf } from './read-time.ts';

/** Names of columns by what they mean, as tools in the field write them. */
const COLUMNS = {
  time: ['time', 'timestamp', 'datetime', 'utc'],
  longitude: ['longitude', 'lon', 'lng', 'long'],
  latitude: ['latitude', 'lat'],
  altitudeFt: ['altitude', 'altitude_ft', 'altitude_baro', 'alt_baro', 'baro_altitude_ft', 'alt'],
  altitudeM: ['altitude_m', 'baroaltitude', 'geoaltitude', 'alt_m'],
  flight: ['flight_id', 'callsign', 'flight'],
  type: ['aircraft_type', 'aircraft_type_icao', 'typecode', 'type'],
} as const;
type ColumnName = keyof typeof COLUMNS;

/** A table with a header and one line for each waypoint. */
export function readCsv(text: string, name: string): FlightInput[] {
  const lines = text.split(/\r?\n/);
  const header = lines[0] ?? '';
  const separator = [',', ';', '\t'].reduce((best, one) =>
    header.split(one).length > header.split(best).length ? one : best,
  );
  const titles = splitLine(header, separator).map((title) => title.trim().toLowerCase());
  const at = (column: ColumnName) =>
    titles.findIndex((title) => (COLUMNS[column] as readonly string[]).includes(title));
  const missing = (['time', 'longitude', 'latitude'] as const).filter((column) => at(column) < 0);
  if (missing.length > 0) {
    throw new FileError(
      `the header “${header.slice(0, 80)}” has no column for ${missing.join(' and ')}; name them as in time,longitude,latitude,altitude`,
      1,
    );
  }
  if (at('altitudeFt') < 0 && at('altitudeM') < 0) {
    throw new FileError('the header has no altitude; add a column altitude (feet) or altitude_m (metres)', 1);
  }
  const flights = new Map<string, { type: string | undefined; points: Waypoint[] }>();
  lines.forEach((line, index) => {
    if (index === 0 || line.trim() === '') return;
    const cells = splitLine(line, separator);
    const cell = (column: ColumnName) => cells[at(column)]?.trim() ?? '';
    const number = (column: ColumnName) => {
      const value = cell(column);
      if (value === '' || Number.isNaN(Number(value))) {
        const title = titles[at(column)];
        throw new FileError(`${title} “${value}” is not a number`, index + 1);
      }
      return Number(value);
    };
    const altitudeFt = at('altitudeFt') >= 0 ? number('altitudeFt') : number('altitudeM') / METRES_PER_FOOT;
    const point = checkedWaypoint(
      {
        timeMs: timeMsOf(cell('time')),
        longitude: number('longitude'),
        latitude: number('latitude'),
        altitudeFt,
      },
      index + 1,
    );
    const id = at('flight') < 0 ? name : cell('flight') || name;
    const flight = flights.get(id) ?? {
      type: at('type') < 0 ? undefined : cell('type') || undefined,
      points: [],
    };
    flight.points.push(point);
    flights.set(id, flight);
  });
  return [...flights].map(([id, { type, points }]) => ({ name: id, aircraftType: type, points }));
}

function splitLine(line: string, separator: string): string[] {
  if (!line.includes('"')) return line.split(separator);
  const cells: string[] = [''];
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells;
}
