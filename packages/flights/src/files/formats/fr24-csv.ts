/** Tables of FlightRadar24: that of the web site, and the detailed one. */

import { cellNumber, columnOf, type Table } from '../cells.ts';
import type { FlightFormat } from '../contract.ts';
import { type DraftPoint, FlightDraft } from '../draft.ts';
import { codeOf } from '../flight.ts';
import { requireColumns, rowBatches } from '../table-text.ts';
import { detailOf, stemOf, timeOf } from '../values.ts';

const NAME = 'fr24_csv';

export const fr24Csv: FlightFormat = {
  name: NAME,
  contentTypes: ['text/csv'],
  recognise: ({ table }) => isWeb(table) || isDetailed(table),

  async *read([content], { report }) {
    if (content === undefined) return;
    const { table } = content.head;
    const draft = new FlightDraft(
      { format: NAME, kind: 'flown', file: content.name, dropsTaxi: true },
      report,
    );
    const readPoint = isWeb(table) ? webReader(table) : detailedReader(table);
    const callsign = columnOf(table, 'callsign');
    const hex = columnOf(table, 'hex');
    for await (const rows of rowBatches(content, report, { isRagged: !isWeb(table) })) {
      for (const { cells, line } of rows) {
        if (cells === undefined) {
          draft.add({ ...NOWHERE, at: line, refusal: 'parse_error' });
          continue;
        }
        draft.know({
          callsign: detailOf(cells[callsign]),
          icao_address: codeOf(cells[hex]?.trim().replace(/^0x/i, '')),
        });
        draft.add({ ...readPoint(cells), at: line });
      }
    }
    const id = /_([0-9a-f]{8})(?:\.|$)/i.exec(content.name)?.[1];
    draft.know({ flight_id: id ?? draft.identity.callsign ?? stemOf(content.name) });
    const flight = draft.finish();
    if (flight !== undefined) yield flight;
  },
};

const NOWHERE = {
  timeMs: Number.NaN,
  longitude: Number.NaN,
  latitude: Number.NaN,
  altitudeFt: Number.NaN,
};

function isWeb(table: Table): boolean {
  return ['timestamp', 'utc', 'callsign', 'position'].every((name) => columnOf(table, name) !== -1);
}

function isDetailed(table: Table): boolean {
  return ['network_time', 'hex', 'latitude', 'longitude'].every((name) => columnOf(table, name) !== -1);
}

type PointReader = (cells: readonly string[]) => Omit<DraftPoint, 'at'>;

function webReader(table: Table): PointReader {
  const at = {
    Timestamp: columnOf(table, 'timestamp'),
    Position: columnOf(table, 'position'),
    Altitude: columnOf(table, 'altitude'),
  };
  requireColumns(table, at);
  const speed = columnOf(table, 'speed');
  return (cells) => {
    const position = (cells[at.Position] ?? '').split(',');
    const isPair = position.length === 2;
    return {
      timeMs: timeOf(cells[at.Timestamp]),
      latitude: isPair ? cellNumber(position[0], ',') : Number.NaN,
      longitude: isPair ? cellNumber(position[1], ',') : Number.NaN,
      altitudeFt: cellNumber(cells[at.Altitude], table.separator),
      speedKt: cellNumber(cells[speed], table.separator),
    };
  };
}

function detailedReader(table: Table): PointReader {
  const at = {
    network_time: columnOf(table, 'network_time'),
    latitude: columnOf(table, 'latitude'),
    longitude: columnOf(table, 'longitude'),
    altitude: columnOf(table, 'altitude'),
  };
  requireColumns(table, at);
  const speed = columnOf(table, 'speed');
  return (cells) => {
    const number = (index: number) => cellNumber(cells[index], table.separator);
    return {
      // The fraction of a second stands after the zone.
      timeMs: timeOf((cells[at.network_time] ?? '').trim().replace(/Z\.(\d+)$/i, '.$1Z')),
      latitude: number(at.latitude),
      longitude: number(at.longitude),
      altitudeFt: number(at.altitude),
      speedKt: number(speed),
    };
  };
}
