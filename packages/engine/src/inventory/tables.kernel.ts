/** Tables of computed flights, made where there are threads: row groups of the minutes, and the sums of each flight. */
import {
  emptySegments,
  type FlightMinutes,
  type FlightTotals,
  flightTotals,
  SEGMENT_NUMBER_NAMES,
  segmentsInto,
} from '@contrails/flights/inventory';
import { type EncodedRowGroup, encodeRowGroup, type ParquetTexts } from '@contrails/formats';
import type { Co2eSet } from '@contrails/physics/cocip';
import { defineKernel } from '../compute.ts';
import type { SharedColumn } from '../flights/fleet.ts';
import type { SharedModelColumns } from './model-flights.ts';
import { listedTexts } from './parquet.ts';
import { FLIGHT_SEGMENT_COLUMNS } from './table-columns.ts';

/** Plain data in shared memory, but for the texts. */
export interface TableWork {
  /** Of all flights in turn. */
  readonly columns: Record<Exclude<keyof FlightMinutes, 'imputed'>, SharedColumn> & {
    readonly imputed: Uint8Array<SharedArrayBuffer>;
  };
  readonly model: SharedModelColumns;
  /** Where the minutes of a flight begin; those of the next one begin where they end. */
  readonly offsets: Uint32Array<SharedArrayBuffer>;
  /** Of each flight, the first and the last [ms since 1970]. */
  readonly reportsMs: SharedColumn;
  /** Stretches of the row groups, each as flight, first waypoint and end, and how many there are up to the end of each group. */
  readonly stretches: Uint32Array<SharedArrayBuffer>;
  readonly groupEnds: Uint32Array<SharedArrayBuffer>;
  /** Of each flight, in the order of the columns of texts. */
  readonly texts: readonly (readonly (string | null)[])[];
  /** Flights whose sums are wanted. */
  readonly flights: Uint32Array<SharedArrayBuffer>;
  readonly co2eSet: Co2eSet | undefined;
}

export type TableBlock = { readonly group: EncodedRowGroup } | { readonly totals: FlightTotals[] };

const FLIGHTS_PER_BLOCK = 64;
/** Row groups end with the stretch that fills them. Each has some fifty pages, so smaller ones would cost more than they save. */
export const GROUP_ROWS = 16_384;
/** A stretch is an hour of a flight at most. */
const MEMORY_ROWS = GROUP_ROWS + 60;

/** First the row groups, then the sums of some flights in each block. */
export function tableBlocks({ groupEnds, flights }: Pick<TableWork, 'groupEnds' | 'flights'>): number {
  return groupEnds.length + Math.ceil(flights.length / FLIGHTS_PER_BLOCK);
}

export default defineKernel<TableWork, TableBlock>((work) => (index, context) => {
  const { groupEnds, flights, offsets, co2eSet } = work;
  if (index < groupEnds.length) {
    const group = encodeGroup(
      work,
      index === 0 ? 0 : (groupEnds[index - 1] as number),
      groupEnds[index] as number,
    );
    context.transfer(group.bytes.buffer);
    return { group };
  }
  const from = (index - groupEnds.length) * FLIGHTS_PER_BLOCK;
  const some = flights.subarray(from, from + FLIGHTS_PER_BLOCK);
  return {
    totals: Array.from(some, (f) =>
      flightTotals(work, offsets[f] as number, offsets[f + 1] as number, co2eSet),
    ),
  };
});

/** The next row group uses the memory again. */
let memory = emptySegments(0);

function encodeGroup(work: TableWork, firstStretch: number, endStretch: number): EncodedRowGroup {
  const { stretches, offsets, reportsMs, co2eSet, texts } = work;
  const count = endStretch - firstStretch;
  const [flights, lengths] = [new Uint32Array(count), new Uint32Array(count)];
  let rows = 0;
  for (let s = 0; s < count; s++) {
    const index = 3 * (firstStretch + s);
    const length = (stretches[index + 2] as number) - (stretches[index + 1] as number);
    flights[s] = stretches[index] as number;
    lengths[s] = length;
    rows += length;
  }
  if (memory.waypoint.length < rows) memory = emptySegments(Math.max(rows, MEMORY_ROWS));
  let at = 0;
  for (let s = 0; s < count; s++) {
    const f = flights[s] as number;
    const from = stretches[3 * (firstStretch + s) + 1] as number;
    const to = from + (lengths[s] as number);
    const [firstReportMs, lastReportMs] = [reportsMs[2 * f] as number, reportsMs[2 * f + 1] as number];
    const first = offsets[f] as number;
    segmentsInto(memory, at, work, { from, to, first, firstReportMs, lastReportMs }, co2eSet);
    at += to - from;
  }
  return encodeRowGroup(FLIGHT_SEGMENT_COLUMNS, rows, [
    ...texts.map((ofFlights) => textsOfStretches(ofFlights, flights, lengths)),
    ...SEGMENT_NUMBER_NAMES.map((name) => memory[name].subarray(0, rows)),
  ]);
}

function textsOfStretches(
  texts: readonly (string | null)[],
  flights: Uint32Array,
  lengths: Uint32Array,
): ParquetTexts {
  return { ...listedTexts(Array.from(flights, (f) => texts[f] ?? null)), lengths };
}
