/** The minutes of computed flights as a Parquet file, whose row groups are hours so that an hour is read without the others. */
import {
  SEGMENT_COLUMNS,
  SEGMENT_NUMBER_NAMES,
  type SegmentNumbers,
  type SummaryRow,
} from '@contrails/flights/inventory';
import { type ParquetTexts, ParquetWriter } from '@contrails/formats';
import { HOUR_MS } from '@contrails/runtime';
import type { StagedColumn } from '../tables/parquet.ts';

/** Equal for flights with the same inputs. */
export const HASH: StagedColumn = { name: 'leg_hash', type: 'string' };
export const FLIGHT_SEGMENT_COLUMNS: readonly StagedColumn[] = [...SEGMENT_COLUMNS, HASH];

export type FlightSummary = SummaryRow & { readonly leg_hash: string };

export interface FlightSegments {
  readonly summary: FlightSummary;
  readonly numbers: SegmentNumbers;
}

/** Hours with fewer rows share a row group with the next ones: every row group has some fifty pages. */
const MIN_GROUP_ROWS = 16_384;

export class SegmentFile {
  readonly path: string;
  private readonly writer: ParquetWriter;

  private constructor(path: string, writer: ParquetWriter) {
    this.path = path;
    this.writer = writer;
  }

  static async create(path: string): Promise<SegmentFile> {
    return new SegmentFile(path, await ParquetWriter.create(path, FLIGHT_SEGMENT_COLUMNS));
  }

  /** Rows of an hour stand flight after flight. */
  async write(flights: readonly FlightSegments[]): Promise<void> {
    const hours = Map.groupBy(flights.flatMap(hoursOf), ({ hourMs }) => hourMs);
    let group: Stretch[] = [];
    let rows = 0;
    for (const hourMs of [...hours.keys()].sort((a, b) => a - b)) {
      for (const stretch of hours.get(hourMs) ?? []) {
        group.push(stretch);
        rows += stretch.to - stretch.from;
      }
      if (rows < MIN_GROUP_ROWS) continue;
      await this.writeGroup(group, rows);
      [group, rows] = [[], 0];
    }
    if (rows > 0) await this.writeGroup(group, rows);
  }

  close(): Promise<void> {
    return this.writer.finish();
  }

  private writeGroup(stretches: readonly Stretch[], rows: number): Promise<void> {
    const numbers = new Float64Array(rows);
    const columns = FLIGHT_SEGMENT_COLUMNS.values().map(({ name }) =>
      isNumber(name) ? joinNumbers(numbers, stretches, name) : joinTexts(stretches, rows, name),
    );
    return this.writer.writeRowGroup(rows, columns);
  }
}

/** Some segments of a flight, `from` to `to` (not included). */
interface Stretch extends FlightSegments {
  readonly hourMs: number;
  readonly from: number;
  readonly to: number;
}

function hoursOf(flight: FlightSegments): Stretch[] {
  const { time_start } = flight.numbers;
  const stretches: Stretch[] = [];
  for (let from = 0; from < time_start.length; ) {
    const hourMs = HOUR_MS * Math.floor((time_start[from] as number) / HOUR_MS);
    let to = from + 1;
    while (to < time_start.length && (time_start[to] as number) < hourMs + HOUR_MS) to++;
    stretches.push({ ...flight, hourMs, from, to });
    from = to;
  }
  return stretches;
}

function isNumber(name: string): name is keyof SegmentNumbers {
  return (SEGMENT_NUMBER_NAMES as readonly string[]).includes(name);
}

function joinNumbers(
  column: Float64Array,
  stretches: readonly Stretch[],
  name: keyof SegmentNumbers,
): Float64Array {
  let at = 0;
  for (const { numbers, from, to } of stretches) {
    const values = numbers[name];
    // Faster than copying, because most are short.
    for (let i = from; i < to; i++) column[at++] = values[i] as number;
  }
  return column;
}

/** What holds for the whole flight. */
function joinTexts(stretches: readonly Stretch[], rows: number, name: string): ParquetTexts {
  const places = new Int32Array(rows);
  const placeOf = new Map<string, number>();
  let at = 0;
  for (const { summary, from, to } of stretches) {
    const value = (summary as Readonly<Record<string, unknown>>)[name];
    const text = value == null ? undefined : String(value);
    const place = text === undefined ? -1 : (placeOf.get(text) ?? placeOf.size);
    if (text !== undefined) placeOf.set(text, place);
    places.fill(place, at, at + to - from);
    at += to - from;
  }
  return { list: [...placeOf.keys()], places };
}
