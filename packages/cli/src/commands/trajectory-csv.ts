/** Answers of `contrails trajectory` as one table of waypoints. */

import type { EvaluatedBody, Trajectories } from '@contrails/engine/flights/evaluate-bodies';
import { type RequestFleet, waypointOrder } from '@contrails/engine/flights/fleet';
import { type OutputColumn, outputColumns, type TrajectoryModel } from '@contrails/engine/flights/models';
import { nameOf, WAYPOINT_FIELDS } from '@contrails/physics/fields';
import { QUANTILE_NAMES } from '@contrails/physics/uncertainty';

const FORCING = nameOf(WAYPOINT_FIELDS, 'energy_forcing');

/** Statistics of the samples at the waypoints, where there are some. */
const SAMPLE_COLUMNS = [
  ...QUANTILE_NAMES.map((name) => `${FORCING}_${name}`),
  'probability_persistent',
] as const;

type SampleColumn = (typeof SAMPLE_COLUMNS)[number];
type CsvColumn = OutputColumn | SampleColumn;

const DIGITS = 7;
const POSITION_COLUMNS = ['flight_id', 'time', 'longitude', 'latitude', 'altitude'];

/** Fields of responses that have a value for each waypoint. */
export function csvColumns(
  model: TrajectoryModel,
  { includes, climate, uncertainty }: Trajectories['options'],
): readonly CsvColumn[] {
  const columns = outputColumns(model, includes, climate?.metric);
  return uncertainty === undefined ? columns : [...columns, ...SAMPLE_COLUMNS];
}

/** The first line of the table. */
export function csvHead(columns: readonly CsvColumn[]): string {
  const names = columns.map((name) => (isSampleColumn(name) ? name : nameOf(WAYPOINT_FIELDS, name)));
  return `${[...POSITION_COLUMNS, ...names].join(',')}\n`;
}

/** The lines of one answer; what is unknown is empty. */
export function* csvLines(names: readonly CsvColumn[], { fleet, answer }: EvaluatedBody): Generator<string> {
  const order = waypointOrder(fleet);
  const columns = names.map((name) =>
    isSampleColumn(name)
      ? sampleColumn(fleet, answer, name, order)
      : (answer[nameOf(WAYPOINT_FIELDS, name)] as Float64Array),
  );
  const ids = fleet.flightId;
  for (const [row, i] of order.entries()) {
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

const isSampleColumn = (name: CsvColumn): name is SampleColumn =>
  (SAMPLE_COLUMNS as readonly string[]).includes(name);

/** Statistics in the order of the request; unknown where too much would have to be kept. */
function sampleColumn(
  { offsets, columns: { timeMs } }: RequestFleet,
  answer: EvaluatedBody['answer'],
  name: SampleColumn,
  order: Uint32Array,
): Float64Array {
  interface Sampled {
    readonly waypoints?: Readonly<Record<string, Float64Array>> | null;
    readonly flights?: readonly Sampled[];
  }
  const uncertainty = answer.uncertainty as Sampled;
  const inFleet = new Float64Array(timeMs.length).fill(Number.NaN);
  (uncertainty.flights ?? [uncertainty]).forEach(({ waypoints }, f) => {
    const values = waypoints?.[name.replace(`${FORCING}_`, '')];
    if (values !== undefined) inFleet.set(values, offsets[f]);
  });
  return Float64Array.from(order, (i) => inFleet[i] as number);
}

function numberOf(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(DIGITS))) : '';
}

/** RFC 4180. */
function cellOf(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
