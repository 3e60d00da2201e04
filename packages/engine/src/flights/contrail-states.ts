/** The contrail of one flight at given times, between the steps of the model. */
import type { PlumeColumn, PlumeTable } from '@contrails/physics/cocip';
import { greatCirclePoint } from '@contrails/physics/geodesy';
import { MINUTE_MS } from '@contrails/runtime';

/** What is known of a point of a contrail, in the order of `FinishedStates.values`. */
export const STATE_FIELDS = [
  'longitude',
  'latitude',
  'altitude',
  'width',
  'depth',
  'opticalDepth',
  'rfLw',
  'rfSw',
  'rfNet',
  'length',
  'u',
  'v',
] as const satisfies readonly PlumeColumn[];

export const STATE_PLUME_COLUMNS: readonly PlumeColumn[] = [...STATE_FIELDS, 'timeMs', 'energyForcing'];

const FIELDS = STATE_FIELDS.length;

export interface StateTimes {
  /** Times at which the state is wanted, in ascending order [ms since 1970]. */
  readonly atMs: readonly number[];
  /** Up to when the energy is also wanted [ms since 1970]. */
  readonly energyToMs?: number | undefined;
}

export interface FinishedStates {
  /** Of each time, where its points begin; those of the next time begin where they end. */
  readonly offsets: Uint32Array;
  /** Waypoint of each living point, ascending within a time. */
  readonly waypoint: Uint32Array;
  /** `STATE_FIELDS` of each point in turn. */
  readonly values: Float64Array<ArrayBuffer>;
  /** Energy forcing of each waypoint up to the last of the times [J]; NaN where the whole is unknown. */
  readonly soFar: Float64Array;
  /** Energy forcing of all waypoints that is known, up to each time [J]. */
  readonly totals: Float64Array;
  /** The same up to `energyToMs`; 0 without it. */
  readonly energyBefore: number;
  /** End of the last step with a living point [ms since 1970]; NaN without any. */
  readonly endMs: number;
}

/** Whole minutes around times, in ascending order: what the model is asked for. */
export function minutesAround(timesMs: readonly number[]): number[] {
  const minutes = timesMs.flatMap((timeMs) => [minuteBefore(timeMs), minuteAfter(timeMs)]);
  return [...new Set(minutes)].sort((a, b) => a - b);
}

function minuteBefore(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
}

function minuteAfter(timeMs: number): number {
  return Math.ceil(timeMs / MINUTE_MS) * MINUTE_MS;
}

/** Points of the flight at a time. */
interface SeenPoints {
  readonly timeMs: number;
  readonly waypoint: Float64Array;
  readonly values: Float64Array;
}

/**
 * Collects the points that live at some times. At a whole minute a point is where the model brings it by a step that ends
 * there, if it survives the whole one; between two minutes it is on the straight line, its position on the great circle. The
 * energy within a step is linear in time. Steps are whole minutes.
 */
export class ContrailStates {
  readonly #timesMs: readonly number[];
  readonly #energyToMs: number;
  readonly #rows: { readonly waypoint: Uint32Array; readonly values: Float64Array }[];
  readonly #soFar: Float64Array[] = [];
  #before: Float64Array | undefined;
  /** At the end of the step before, where it is needed, and at minutes within the step that follows. */
  #seen: SeenPoints[] = [];
  /** The end of the last step of every waypoint, or when it formed, and the energy of all steps up to it. */
  readonly #lastMs: Float64Array;
  readonly #energy: Float64Array;
  /** Index of the first time that no step has passed yet. */
  #next = 0;
  #endMs = Number.NaN;

  constructor(waypoints: number, { atMs, energyToMs = Number.NaN }: StateTimes) {
    this.#timesMs = atMs;
    this.#energyToMs = energyToMs;
    this.#rows = atMs.map(() => ({ waypoint: new Uint32Array(), values: new Float64Array() }));
    this.#lastMs = new Float64Array(waypoints).fill(Number.NaN);
    this.#energy = new Float64Array(waypoints);
  }

  /** Takes the contrails of the flight as they formed, rows `from` to `to` (not included). */
  begin(young: PlumeTable, from: number, to: number): void {
    for (let i = from; i < to; i++) this.#lastMs[young.waypoint[i] as number] = young.timeMs[i] as number;
  }

  /** Takes the rows of the flight, `from` to `to` (not included), at a minute within the next step. */
  seeWithin(plumes: PlumeTable, from: number, to: number, timeMs: number): void {
    const values = new Float64Array(FIELDS * (to - from));
    STATE_FIELDS.forEach((name, k) => {
      for (let i = from; i < to; i++) values[FIELDS * (i - from) + k] = plumes[name][i] as number;
    });
    this.#seen.push({ timeMs, waypoint: plumes.waypoint.slice(from, to), values });
  }

  /** Takes the rows of the flight, `from` to `to` (not included), after a step. */
  add(plumes: PlumeTable, from: number, to: number, toMs: number): void {
    if (this.#before === undefined && this.#energyToMs <= toMs)
      this.#before = this.#energyAt(plumes, from, to, toMs, this.#energyToMs);
    const nextMs = () => this.#timesMs[this.#next] ?? Number.POSITIVE_INFINITY;
    if (minuteBefore(nextMs()) <= toMs) this.seeWithin(plumes, from, to, toMs);
    for (; nextMs() <= toMs; this.#next++) {
      this.#soFar.push(this.#energyAt(plumes, from, to, toMs, nextMs()));
      this.#rows[this.#next] = this.#livingAt(plumes.waypoint.subarray(from, to), nextMs());
    }
    this.#seen = minuteBefore(nextMs()) === toMs ? this.#seen.slice(-1) : [];
    for (let i = from; i < to; i++) {
      const waypoint = plumes.waypoint[i] as number;
      const energy = plumes.energyForcing[i] as number;
      if (!Number.isNaN(energy)) this.#energy[waypoint] = (this.#energy[waypoint] as number) + energy;
      this.#lastMs[waypoint] = toMs;
    }
    this.#endMs = toMs;
  }

  /** `energyForcing` of whole lifetimes marks the unknown waypoints. */
  finish(energyForcing: Float64Array): FinishedStates {
    while (this.#soFar.length < this.#timesMs.length) this.#soFar.push(this.#energy);
    const count = this.#rows.reduce((sum, { waypoint }) => sum + waypoint.length, 0);
    const offsets = new Uint32Array(this.#timesMs.length + 1);
    const waypoint = new Uint32Array(count);
    const values = new Float64Array(FIELDS * count);
    this.#rows.forEach((rows, t) => {
      const start = offsets[t] as number;
      offsets[t + 1] = start + rows.waypoint.length;
      waypoint.set(rows.waypoint, start);
      values.set(rows.values, FIELDS * start);
    });
    const known = (column: Float64Array) =>
      column.map((energy, i) => (Number.isNaN(energyForcing[i]) ? Number.NaN : energy));
    const total = (column: Float64Array) =>
      known(column).reduce((sum, energy) => (Number.isNaN(energy) ? sum : sum + energy), 0);
    return {
      ...{ offsets, waypoint, values, endMs: this.#endMs },
      soFar: known(this.#soFar.at(-1) ?? this.#energy),
      totals: Float64Array.from(this.#soFar, total),
      energyBefore: Number.isNaN(this.#energyToMs) ? 0 : total(this.#before ?? this.#energy),
    };
  }

  /** Energy of each waypoint up to a time within the step that has just been made. */
  #energyAt(plumes: PlumeTable, from: number, to: number, toMs: number, atMs: number): Float64Array {
    const energyAt = this.#energy.slice();
    for (let i = from; i < to; i++) {
      const waypoint = plumes.waypoint[i] as number;
      const sinceMs = this.#lastMs[waypoint] as number;
      const energy = plumes.energyForcing[i] as number;
      if (!(sinceMs < atMs) || Number.isNaN(energy)) continue;
      const share = (atMs - sinceMs) / (toMs - sinceMs);
      energyAt[waypoint] = (energyAt[waypoint] as number) + share * energy;
    }
    return energyAt;
  }

  /** Of those that survive the step. */
  #livingAt(survivors: Float64Array, atMs: number) {
    const [fromMs, toMs] = [minuteBefore(atMs), minuteAfter(atMs)];
    const before = this.#seen.find(({ timeMs }) => timeMs === fromMs);
    const after = this.#seen.find(({ timeMs }) => timeMs === toMs);
    const waypoints = new Uint32Array(survivors.length);
    const values = new Float64Array(FIELDS * survivors.length);
    let [count, k0, k1] = [0, 0, 0];
    for (const waypoint of survivors) {
      while ((before?.waypoint[k0] as number) < waypoint) k0++;
      while ((after?.waypoint[k1] as number) < waypoint) k1++;
      if (before?.waypoint[k0] !== waypoint || after?.waypoint[k1] !== waypoint) continue;
      waypoints[count] = waypoint;
      const at = values.subarray(FIELDS * count, FIELDS * (count + 1));
      at.set(before.values.subarray(FIELDS * k0, FIELDS * (k0 + 1)));
      if (before !== after)
        goOn(at, after.values.subarray(FIELDS * k1, FIELDS * (k1 + 1)), (atMs - fromMs) / MINUTE_MS);
      count++;
    }
    return { waypoint: waypoints.slice(0, count), values: values.slice(0, FIELDS * count) };
  }
}

/** Brings a point towards a later one. */
function goOn(point: Float64Array, later: Float64Array, share: number): void {
  const [lon0, lat0, lon1, lat1] = [point[0], point[1], later[0], later[1]] as [
    number,
    number,
    number,
    number,
  ];
  for (let k = 2; k < FIELDS; k++)
    point[k] = (point[k] as number) + share * ((later[k] as number) - (point[k] as number));
  [point[0], point[1]] = greatCirclePoint(lon0, lat0, lon1, lat1, share);
}
