/** A flight through a model on one screen: what it did, and its profile as a chart of characters. */
import type { EvaluatedBody } from '@contrails/engine/flights/evaluate-bodies';
import { indexInAnswer } from '@contrails/engine/flights/fleet';
import { nameOf, WAYPOINT_FIELDS } from '@contrails/physics/fields';
import { haversineM } from '@contrails/physics/geodesy';

/** One flight with a model's results for its waypoints; unknown values are NaN. */
export interface SummarisedFlight {
  readonly name: string;
  readonly timeMs: ArrayLike<number>;
  readonly longitude: ArrayLike<number>;
  readonly latitude: ArrayLike<number>;
  readonly altitudeFt: ArrayLike<number>;
  /** The values of a field in the order of the waypoints; undefined where the model has none. */
  values(field: string): ArrayLike<number> | undefined;
}

/** The flights of one answer. */
export function flightsOf({ fleet, answer }: Pick<EvaluatedBody, 'fleet' | 'answer'>): SummarisedFlight[] {
  const { offsets, columns, flightId } = fleet;
  return Array.from({ length: offsets.length - 1 }, (_, f) => {
    const [from, to] = [offsets[f] as number, offsets[f + 1] as number];
    const id = Array.isArray(flightId)
      ? flightId[indexInAnswer(fleet, from)]
      : (flightId ?? answer.flight_id);
    return {
      name: id === undefined || id === null ? 'flight' : String(id),
      timeMs: columns.timeMs.subarray(from, to),
      longitude: columns.longitude.subarray(from, to),
      latitude: columns.latitude.subarray(from, to),
      altitudeFt: columns.altitudeFt.subarray(from, to),
      values: (field: string) => {
        const inAnswer = answer[field] as ArrayLike<number> | undefined;
        return (
          inAnswer &&
          Float64Array.from(
            { length: to - from },
            (_, k) => inAnswer[indexInAnswer(fleet, from + k)] as number,
          )
        );
      },
    };
  });
}

const FIELDS = {
  sac: nameOf(WAYPOINT_FIELDS, 'sac'),
  issr: nameOf(WAYPOINT_FIELDS, 'issr'),
  forcing: nameOf(WAYPOINT_FIELDS, 'energy_forcing'),
  age: nameOf(WAYPOINT_FIELDS, 'contrail_age'),
};

/** Lines without a chart. */
export function summaryOf(flight: SummarisedFlight): string[] {
  const { name, timeMs, altitudeFt } = flight;
  const count = timeMs.length;
  const km = segmentsKm(flight);
  const along = (isMeant: (k: number) => boolean) =>
    km.reduce((sum, part, k) => sum + (isMeant(k) ? part : 0), 0);
  const [first = 0, last = 0] = [timeMs[0], timeMs[count - 1]];
  const level = Math.round(max(altitudeFt) / 100);
  const lines = [
    `${name}: ${timeText(first)} to ${timeText(last)}, ${whole(along(() => true))} km, ${count} waypoints up to FL ${level}`,
  ];
  const [sac, issr, forcing, age] = [FIELDS.sac, FIELDS.issr, FIELDS.forcing, FIELDS.age].map((field) =>
    flight.values(field),
  );
  if (sac !== undefined) lines.push(`  contrails form on      ${whole(along((k) => sac[k] === 1))} km`);
  if (issr !== undefined) lines.push(`  supersaturated air on  ${whole(along((k) => issr[k] === 1))} km`);
  if (forcing !== undefined) {
    const joule = Array.from(forcing).reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0);
    lines.push(
      `  they persist on        ${whole(along((k) => isLasting(forcing[k])))} km${age === undefined ? '' : `, up to ${whole(max(age))} min`}`,
      `  energy forcing         ${joule.toExponential(2)} J${joule === 0 ? '' : joule > 0 ? ', which warms' : ', which cools'}`,
    );
  }
  const known = sac ?? issr ?? forcing;
  const unknown = known === undefined ? 0 : Array.from(known).slice(0, -1).filter(Number.isNaN).length;
  if (unknown > 0)
    lines.push(`  unknown                ${unknown} of ${count} waypoints, outside the weather`);
  return lines;
}

const ROWS = 7;
const MARGIN = '  FL 000 |'.replace(/./g, ' ');
const MIN_SPAN_FT = 6000;

/** Height over time, `width` characters wide: `#` lasting contrail, `~` contrail forms or air is supersaturated, `-` neither. */
export function chartOf(flight: SummarisedFlight, width: number): string[] {
  const { timeMs, altitudeFt } = flight;
  const [first = 0, last = 0] = [timeMs[0], timeMs[timeMs.length - 1]];
  const columns = Math.max(width - MARGIN.length, 10);
  const top = max(altitudeFt);
  const bottom = Math.min(min(altitudeFt), top - MIN_SPAN_FT);
  const cells = Array.from({ length: ROWS }, () => new Array<string>(columns).fill(' '));
  const [short, forcing] = [
    flight.values(FIELDS.sac) ?? flight.values(FIELDS.issr),
    flight.values(FIELDS.forcing),
  ];
  let k = 0;
  for (let column = 0; column < columns; column++) {
    const time = first + ((column + 0.5) / columns) * (last - first);
    while (k + 2 < timeMs.length && (timeMs[k + 1] as number) <= time) k++;
    const row = Math.round(((top - (altitudeFt[k] as number)) / (top - bottom)) * (ROWS - 1));
    const line = cells[Math.min(Math.max(row, 0), ROWS - 1)] as string[];
    line[column] = isLasting(forcing?.[k]) ? '#' : short?.[k] === 1 ? '~' : '-';
  }
  const level = (row: number) => Math.round((top - (row / (ROWS - 1)) * (top - bottom)) / 100);
  const ends = [clockText(first), clockText(last)];
  return [
    ...cells.map((line, row) => `  FL ${String(level(row)).padStart(3)} |${line.join('').trimEnd()}`),
    `${MARGIN}${ends[0]}${' '.repeat(Math.max(columns - 10, 1))}${ends[1]} UTC`,
    `${MARGIN}${[...(forcing === undefined ? [] : ['# lasting contrail']), `~ ${flight.values(FIELDS.sac) === undefined ? 'supersaturated air' : 'contrail forms'}`, '- neither'].join('   ')}`,
  ];
}

function isLasting(joule: number | undefined): boolean {
  return joule !== undefined && !Number.isNaN(joule) && joule !== 0;
}

/** Length of the segment that begins at each waypoint. */
function segmentsKm({ longitude, latitude }: SummarisedFlight): number[] {
  const at = (list: ArrayLike<number>, k: number) => list[k] as number;
  return Array.from({ length: Math.max(longitude.length - 1, 0) }, (_, k) => {
    const metres = haversineM(at(longitude, k), at(latitude, k), at(longitude, k + 1), at(latitude, k + 1));
    return metres / 1000;
  });
}

function max(values: ArrayLike<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < values.length; k++) found = Math.max(found, (values[k] as number) || 0);
  return found;
}

function min(values: ArrayLike<number>): number {
  let found = Number.POSITIVE_INFINITY;
  for (let k = 0; k < values.length; k++) found = Math.min(found, values[k] as number);
  return found;
}

const whole = (value: number) => String(Math.round(value));
const clockText = (ms: number) => new Date(ms).toISOString().slice(11, 16);
const timeText = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')}`;
