/** Inputs with the names of the telemetry table: tables as CSV or NDJSON, and the target stream of commercial feeds. */
import { TELEMETRY_COLUMNS } from '../../telemetry/columns.ts';
import type { LineSpan } from '../lines.ts';
import { categoryOf, isUnknown, shown, textOf } from '../values.ts';
import { CsvReader } from './csv.ts';
import { type LineReader, lineText, objectOf, type Reading } from './reading.ts';

/** The columns of the table, and two that separate flights. */
export const TABLE_FIELDS = [...TELEMETRY_COLUMNS, 'on_ground', 'leg_flag'] as const;
export const REQUIRED_FIELDS = ['timestamp', 'latitude', 'longitude', 'icao_address'] as const;

export function tableCsv(reading: Reading): LineReader {
  return new CsvReader(reading, 'table', {
    columns: TABLE_FIELDS,
    required: REQUIRED_FIELDS,
    fill: (cells) => fillFromFields((index) => cells.value(index), reading),
  });
}

export function tableNdjson(reading: Reading): LineReader {
  return new NdjsonReader(reading, (record) => record);
}

/** Records are wrapped in `target` or bare; other messages of the stream are not records. */
export function targetNdjson(reading: Reading): LineReader {
  return new NdjsonReader(reading, (message) => {
    const target = objectOf(message.target);
    if (target !== undefined) return target;
    const isOther =
      message.icao_address === undefined && ('status' in message || 'position_token' in message);
    return isOther ? undefined : message;
  });
}

/**
 * Fills the report of a reading; `field` takes the index of a name in `TABLE_FIELDS`. `times` reads times where the input knows
 * more of them than their values show.
 */
export function fillFromFields(
  field: (index: number) => unknown,
  reading: Reading,
  times: Pick<Reading, 'time'> = reading,
): void {
  const { report, codes } = reading;
  report.timestamp = times.time('timestamp', field(0));
  report.latitude = reading.number('latitude', field(1));
  report.longitude = reading.number('longitude', field(2));
  setCollectionType(field(3), reading);
  report.altitudeBaro = reading.number('altitude_baro', field(4));
  report.altitudeGnss = reading.number('altitude_gnss', field(5));
  report.address = codes.address(field(6));
  report.flightId = codes.read('flight_id', field(7));
  report.callsign = codes.read('callsign', field(8));
  report.tailNumber = codes.read('tail_number', field(9));
  report.flightNumber = codes.read('flight_number', field(10));
  report.aircraftType = codes.read('aircraft_type_icao', field(11));
  report.airline = codes.read('airline_iata', field(12));
  report.departureAirport = codes.read('departure_airport_icao', field(13));
  report.departureTime = times.time('departure_scheduled_time', field(14));
  report.arrivalAirport = codes.read('arrival_airport_icao', field(15));
  report.arrivalTime = times.time('arrival_scheduled_time', field(16));
  report.nic = categoryOf(reading.number('nic', field(17)));
  report.nacp = categoryOf(reading.number('nacp', field(18)));
  report.onGround = reading.flag('on_ground', field(19));
  report.legFlag = reading.flag('leg_flag', field(20));
}

function setCollectionType(value: unknown, { report }: Reading): void {
  const text = value === null || value === undefined ? '' : textOf(value).trim().toLowerCase();
  if (isUnknown(text)) return;
  if (text === 'terrestrial' || text === 'satellite') report.collectionType = text;
  else report.problem ??= `collection_type is ${shown(value)}; allowed are terrestrial and satellite`;
}

/** A JSON object on each line; `recordOf` finds the record in it. */
class NdjsonReader implements LineReader {
  private readonly reading: Reading;
  private readonly recordOf: (
    line: Readonly<Record<string, unknown>>,
  ) => Readonly<Record<string, unknown>> | undefined;
  private record: Readonly<Record<string, unknown>> = {};

  constructor(reading: Reading, recordOf: NdjsonReader['recordOf']) {
    this.reading = reading;
    this.recordOf = recordOf;
  }

  line(line: LineSpan): void {
    const { report, intake } = this.reading;
    report.clear();
    const message = parsed(line.text.slice(line.start, line.end));
    if (message === undefined) report.problem = 'the line is not a JSON object';
    else {
      const record = this.recordOf(message);
      if (record === undefined) return;
      this.record = record;
      fillFromFields(this.field, this.reading);
    }
    intake.add(report, lineText, line);
  }

  private readonly field = (index: number): unknown => this.record[TABLE_FIELDS[index] as string];
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
