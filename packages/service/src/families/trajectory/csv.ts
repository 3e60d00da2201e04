/** Answers as a table: one line for each waypoint, in the order of the request. */
import type { RequestFleet } from './fleet.ts';
import type { OutputColumn } from './models.ts';
import type { EvaluatedBody } from './offline.ts';

const DIGITS = 7;
const POSITION_COLUMNS = ['flight_id', 'time', 'longitude', 'latitude', 'altitude'];

/** The first line of the table. */
export function csvHead(columns: readonly OutputColumn[]): string {
  return `${[...POSITION_COLUMNS, ...columns].join(',')}\n`;
}

/** The lines of one answer; what is unknown is empty. */
export function* csvLines(
  names: readonly OutputColumn[],
  { fleet, answer }: EvaluatedBody,
): Generator<string> {
  const columns = names.map((name) => answer[name] as Float64Array);
  const places = inRequest(fleet);
  const ids = fleet.flightId;
  for (const [row, i] of places.entries()) {
    const id = Array.isArray(ids) ? ids[row] : (ids ?? answer.flight_id);
    const cells = [
      cellOf(String(id)),
      new Date(fleet.columns.timeMs[i] as number).toISOString(),
      numberOf(fleet.columns.longitude[i] as number),
      numberOf(fleet.columns.latitude[i] as number),
      numberOf(fleet.columns.altitudeFt[i] as number),
      ...columns.map((column) => numberOf(column[row] as number)),
    ];
    yield `${cells.join(',')}\n`;
  }
}

/** Which waypoint of the fleet stands at each place of the request. */
function inRequest({ requestIndex, columns: { timeMs } }: RequestFleet): Uint32Array {
  const places = Uint32Array.from(timeMs, (_, i) => i);
  requestIndex?.forEach((place, i) => {
    places[place] = i;
  });
  return places;
}

function numberOf(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(DIGITS))) : '';
}

/** RFC 4180. */
function cellOf(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
