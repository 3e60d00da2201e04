/** The table of waypoints of this service: feet, or metres where a column says so. */

import { cellNumber, columnOf, type Table } from '../cells.ts';
import type { Head } from '../content.ts';
import { type FlightFormat, Gathered } from '../contract.ts';
import { codeOf } from '../flight.ts';
import { rowBatches } from '../table-text.ts';
import { detailOf, METRES_PER_FOOT, stemOf, timeOf } from '../values.ts';
import { hasUnits, measuredColumns } from './fdr-csv.ts';

const NAME = 'table';
const COLUMNS = {
  time: ['time', 'timestamp', 'datetime', 'utc'],
  longitude: ['longitude', 'lon', 'lng', 'long'],
  latitude: ['latitude', 'lat'],
  altitudeFt: ['altitude', 'altitude_ft', 'altitude_baro', 'alt_baro', 'baro_altitude_ft', 'alt'],
  altitudeM: ['altitude_m', 'baroaltitude', 'geoaltitude', 'alt_m'],
  flight: ['flight_id', 'callsign', 'flight'],
  takeoffMass: ['takeoff_mass'],
} as const;

/** What is known of a flight; the first cell that is not empty counts. */
const IDENTITY = {
  aircraft_type: { names: ['aircraft_type', 'aircraft_type_icao', 'typecode', 'type'], read: codeOf },
  callsign: { names: ['callsign'], read: detailOf },
  flight_number: { names: ['flight_number'], read: detailOf },
  tail_number: { names: ['tail_number', 'registration'], read: detailOf },
  icao_address: { names: ['icao_address', 'icao24', 'hex'], read: codeOf },
  departure_airport_icao: { names: ['departure_airport_icao', 'origin_airport_icao'], read: codeOf },
  arrival_airport_icao: { names: ['arrival_airport_icao', 'destination_airport_icao'], read: codeOf },
} as const;
const IDENTITY_NAMES = Object.keys(IDENTITY) as (keyof typeof IDENTITY)[];

export const table: FlightFormat = {
  name: NAME,
  contentTypes: ['text/csv'],
  recognise: (head, { columns }) => columns === undefined && isTable(head),

  async *read([content], { report }) {
    if (content === undefined) return;
    const names = content.head.table;
    const at = columnsOf(names);
    const stem = stemOf(content.name);
    const flights = new Gathered<string>({ format: NAME, kind: 'flown', file: content.name }, report);
    const measured = (['aircraft_mass', 'fuel_flow', 'true_airspeed'] as const)
      .map((name) => [name, columnOf(names, name)] as const)
      .filter(([, index]) => index !== -1);
    const known = IDENTITY_NAMES.map(
      (name) => [name, columnOf(names, ...IDENTITY[name].names)] as const,
    ).filter(([, index]) => index !== -1);
    for await (const rows of rowBatches(content, report)) {
      for (const { cells, line } of rows) {
        if (cells === undefined) {
          report.points++;
          report.refusePoint('parse_error', content.name, `line ${line}`);
          continue;
        }
        const number = (index: number) => cellNumber(cells[index], names.separator);
        const id = detailOf(cells[at.flight]) ?? stem;
        const draft = flights.of(id, () => ({ flight_id: id }));
        for (const [name, index] of known) {
          if (draft.identity[name] === undefined) draft.know({ [name]: IDENTITY[name].read(cells[index]) });
        }
        if (at.takeoffMass !== -1 && draft.identity.takeoff_mass === undefined) {
          const mass = number(at.takeoffMass);
          if (mass > 0) draft.know({ takeoff_mass: mass });
        }
        draft.add({
          timeMs: timeOf(cells[at.time]),
          longitude: number(at.longitude),
          latitude: number(at.latitude),
          altitudeFt: at.altitudeFt === -1 ? number(at.altitudeM) / METRES_PER_FOOT : number(at.altitudeFt),
          measured: Object.fromEntries(measured.map(([name, index]) => [name, number(index)])),
          at: line,
        });
      }
    }
    yield* flights.finish();
  },
};

function columnsOf(names: Table) {
  const at = (column: keyof typeof COLUMNS) => columnOf(names, ...COLUMNS[column]);
  return {
    time: at('time'),
    longitude: at('longitude'),
    latitude: at('latitude'),
    altitudeFt: at('altitudeFt'),
    altitudeM: at('altitudeM'),
    flight: at('flight'),
    takeoffMass: at('takeoffMass'),
  };
}

/** The service's own names, or synonyms where no column has a quantity whose unit would have to be guessed. */
function isTable(head: Head): boolean {
  const names = head.table;
  if (hasUnits(head)) return false;
  const own =
    ['longitude', 'latitude', 'time'].every((name) => columnOf(names, name) !== -1) &&
    columnOf(names, 'altitude', 'altitude_ft', 'altitude_m') !== -1;
  const measured = measuredColumns(names);
  if (own)
    return measured.every(
      ({ field, isPerEngine }) => !isPerEngine && names.names.some((name) => name.toLowerCase() === field),
    );
  const at = columnsOf(names);
  const isPlaced = at.time !== -1 && at.longitude !== -1 && at.latitude !== -1;
  return isPlaced && (at.altitudeFt !== -1 || at.altitudeM !== -1) && measured.length === 0;
}
