/** The EUROCONTROL R&D data archive: a list of flights, and their points. */

import { DamagedBytes } from '../bytes.ts';
import { cellNumber, columnOf, type Table } from '../cells.ts';
import type { Content } from '../content.ts';
import type { FlightFormat, FormatContext } from '../contract.ts';
import { FlightDraft } from '../draft.ts';
import { codeOf, type FileFlight, type FlightIdentity } from '../flight.ts';
import { FileReport, FlightFileError } from '../refusals.ts';
import { requireColumns, rowBatches } from '../table-text.ts';
import { textPieces } from '../text.ts';
import { dayFirstTimeOf, detailOf } from '../values.ts';

const NAME = 'eurocontrol_rnd';
const FEET_PER_LEVEL = 100;

export const eurocontrolRnd: FlightFormat = {
  name: NAME,
  contentTypes: ['text/csv', 'application/gzip'],
  isPaired: true,
  recognise: ({ table }) =>
    columnOf(table, 'ectrl id') !== -1 && (isPoints(table) || columnOf(table, 'ac type') !== -1),

  async *read(files, context) {
    const points = files.filter(({ head }) => isPoints(head.table));
    const lists = files.filter(({ head }) => !isPoints(head.table));
    if (points.length === 0) {
      throw new FlightFileError(
        'missing_partner',
        'this is the list of flights of the EUROCONTROL archive; give its Flight_Points file besides',
      );
    }
    const list = lists.length === 0 ? undefined : await readList(lists, context);
    if (list === undefined) {
      context.report.warn(
        'no_aircraft_type',
        'the points of the EUROCONTROL archive have no aircraft types; give its Flights file besides',
      );
    }
    for (const file of points) yield* readPoints(file, list, context);
    for (const [id, { hasPoints, file }] of list ?? []) {
      if (!hasPoints) context.report.refuseFlight('no_points', file, `flight ${id} has no points`);
    }
  },
};

function isPoints(table: Table): boolean {
  return columnOf(table, 'time over') !== -1;
}

interface Listed {
  readonly identity: Partial<FlightIdentity>;
  readonly file: string;
  hasPoints: boolean;
}

async function readList(files: readonly Content[], { report }: FormatContext): Promise<Map<string, Listed>> {
  const list = new Map<string, Listed>();
  for (const content of files) {
    const { table } = content.head;
    const at = {
      id: columnOf(table, 'ectrl id'),
      type: columnOf(table, 'ac type'),
      operator: columnOf(table, 'ac operator'),
      registration: columnOf(table, 'ac registration'),
      departure: columnOf(table, 'adep'),
      arrival: columnOf(table, 'ades'),
      offBlock: columnOf(table, 'filed off block time'),
      arrivalTime: columnOf(table, 'filed arrival time'),
    };
    for await (const rows of rowBatches(content, report)) {
      for (const { cells, line } of rows) {
        const id = detailOf(cells?.[at.id]);
        if (cells === undefined || id === null) {
          report.points++;
          report.refusePoint('parse_error', content.name, `line ${line}`);
          continue;
        }
        const [offBlock, arrival] = [cells[at.offBlock], cells[at.arrivalTime]].map((text) =>
          dayFirstTimeOf(text ?? ''),
        ) as [number, number];
        report.limitFlights(list.size + 1);
        list.set(id, {
          identity: {
            flight_id: id,
            aircraft_type: codeOf(cells[at.type]),
            airline_icao: codeOf(cells[at.operator]),
            tail_number: detailOf(cells[at.registration]),
            departure_airport_icao: codeOf(cells[at.departure]),
            arrival_airport_icao: codeOf(cells[at.arrival]),
            departure_scheduled_time: Number.isNaN(offBlock) ? null : offBlock,
            arrival_scheduled_time: Number.isNaN(arrival) ? null : arrival,
          },
          file: content.name,
          hasPoints: false,
        });
      }
    }
  }
  return list;
}

/**
 * A flight is finished when its identifier ends, so one flight is in memory at a time. Those that come again later are found
 * in a first pass and finished at the end.
 */
async function* readPoints(
  content: Content,
  list: Map<string, Listed> | undefined,
  { report }: FormatContext,
): AsyncGenerator<FileFlight> {
  const { table } = content.head;
  const at = {
    'ECTRL ID': columnOf(table, 'ectrl id'),
    'Sequence Number': columnOf(table, 'sequence number'),
    'Time Over': columnOf(table, 'time over'),
    'Flight Level': columnOf(table, 'flight level'),
    Latitude: columnOf(table, 'latitude'),
    Longitude: columnOf(table, 'longitude'),
  };
  requireColumns(table, at);
  const kind = /_filed_/i.test(content.name) ? 'planned' : 'flown';
  const settings = { format: NAME, kind, file: content.name } as const;
  const scattered = await scatteredIds(content, at['ECTRL ID'], report);
  const later = new Map<string, FlightDraft>();
  const unknown = new Set<string>();
  let current: FlightDraft | undefined;
  let finished: FileFlight[] = [];
  const finish = (draft: FlightDraft | undefined) => {
    const flight = draft?.finish();
    if (flight !== undefined) finished.push(flight);
  };
  const draftOf = (id: string): FlightDraft | undefined => {
    const known = later.get(id) ?? (current?.identity.flight_id === id ? current : undefined);
    if (known !== undefined) return known;
    const listed = list?.get(id);
    if (list !== undefined && listed === undefined) {
      if (!unknown.has(id))
        report.refuseFlight('unknown_flight', content.name, `flight ${id} is not in the list of flights`);
      unknown.add(id);
      report.limitFlights(unknown.size);
      return undefined;
    }
    if (listed !== undefined) listed.hasPoints = true;
    const draft = new FlightDraft(settings, report);
    draft.know(listed?.identity ?? { flight_id: detailOf(id) ?? id });
    report.limitFlights(later.size + 1);
    if (scattered.has(id)) later.set(id, draft);
    else {
      finish(current);
      current = draft;
    }
    return draft;
  };
  for await (const rows of rowBatches(content, report)) {
    for (const { cells, line } of rows) {
      const id = cells?.[at['ECTRL ID']]?.trim() ?? '';
      if (cells === undefined || id === '') {
        report.points++;
        report.refusePoint('parse_error', content.name, `line ${line}`);
        continue;
      }
      const draft = draftOf(id);
      if (draft === undefined) {
        report.points++;
        report.lostPoints++;
        continue;
      }
      const number = (index: number) => cellNumber(cells[index], table.separator);
      draft.add({
        timeMs: dayFirstTimeOf(cells[at['Time Over']] ?? ''),
        longitude: number(at.Longitude),
        latitude: number(at.Latitude),
        altitudeFt: number(at['Flight Level']) * FEET_PER_LEVEL,
        sequence: number(at['Sequence Number']) || 0,
        at: line,
      });
    }
    yield* finished;
    finished = [];
  }
  finish(current);
  for (const draft of later.values()) finish(draft);
  yield* finished;
}

/**
 * Identifiers whose points are not all in one place. Only the first line of a run of points is taken apart: of the others it is enough
 * that they begin alike.
 */
async function scatteredIds(content: Content, column: number, report: FileReport): Promise<Set<string>> {
  const { separator } = content.head.table;
  const seen = new Set<string>();
  const scattered = new Set<string>();
  let last = '';
  /** What lines of the last identifier begin with. */
  let start = '';
  try {
    for await (const piece of textPieces(content, new FileReport())) {
      const text = piece.includes('\r') ? piece.replaceAll(/\r\n?/g, '\n') : piece;
      for (let at = 0, end = 0; at < text.length; at = end + 1) {
        end = text.indexOf('\n', at);
        if (end === -1) end = text.length;
        if (start !== '' && text.startsWith(start, at)) continue;
        const line = text.slice(at, end);
        if (line.trim() === '') continue;
        const id = cellAt(line, column, separator);
        start = column === 0 ? line.slice(0, line.indexOf(separator) + 1) : '';
        if (id === last) continue;
        if (seen.has(id)) scattered.add(id);
        seen.add(id);
        report.limitFlights(seen.size);
        last = id;
      }
    }
  } catch (error) {
    // What is wrong with the file is reported by the second pass.
    if (!(error instanceof DamagedBytes)) throw error;
  }
  return scattered;
}

/** One cell of a line, without splitting the others; identifiers have no separators in them. */
function cellAt(line: string, column: number, separator: string): string {
  let start = 0;
  for (let k = 0; k < column; k++) start = line.indexOf(separator, start) + 1;
  const end = line.indexOf(separator, start);
  const cell = end === -1 ? line.slice(start) : line.slice(start, end);
  return (cell.startsWith('"') ? cell.replaceAll('"', '') : cell).trim();
}
