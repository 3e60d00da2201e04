/** The contrail of one flight at given times, between the steps of the model. */
import type { PlumeColumn, PlumeTable } from '@contrails/physics/cocip';

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
] as const satisfies readonly PlumeColumn[];

export const STATE_PLUME_COLUMNS: readonly PlumeColumn[] = [...STATE_FIELDS, 'timeMs', 'energyForcing'];

const FIELDS = STATE_FIELDS.length;

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
  /** End of the last step with a living point [ms since 1970]; NaN without any. */
  readonly endMs: number;
}

/**
 * Collects the points that live at some times. Between two steps a point is where the model brings it by a shorter step, if
 * it survives the whole one; the energy within a step is linear in time.
 */
export class ContrailStates {
  readonly #timesMs: readonly number[];
  readonly #rows: { readonly waypoint: number[]; readonly values: number[] }[];
  readonly #soFar: Float64Array[];
  /** Points at times within the step that follows. */
  readonly #within: {
    readonly timeMs: number;
    readonly waypoint: Float64Array;
    readonly values: Float64Array;
  }[] = [];
  /** The end of the last step of every waypoint, or when it formed, and the energy of all steps up to it. */
  readonly #lastMs: Float64Array;
  readonly #energy: Float64Array;
  /** Index of the first time that no step has passed yet. */
  #next = 0;
  #endMs = Number.NaN;

  constructor(waypoints: number, timesMs: readonly number[]) {
    this.#timesMs = timesMs;
    this.#rows = timesMs.map(() => ({ waypoint: [], values: [] }));
    this.#soFar = [];
    this.#lastMs = new Float64Array(waypoints).fill(Number.NaN);
    this.#energy = new Float64Array(waypoints);
  }

  /** Takes the contrails of the flight as they formed, rows `from` to `to` (not included). */
  begin(young: PlumeTable, from: number, to: number): void {
    for (let i = from; i < to; i++) this.#lastMs[young.waypoint[i] as number] = young.timeMs[i] as number;
  }

  /** Takes the rows of the flight, `from` to `to` (not included), at a time within the next step. */
  seeWithin(plumes: PlumeTable, from: number, to: number, timeMs: number): void {
    const values = new Float64Array(FIELDS * (to - from));
    STATE_FIELDS.forEach((name, k) => {
      for (let i = from; i < to; i++) values[FIELDS * (i - from) + k] = plumes[name][i] as number;
    });
    this.#within.push({ timeMs, waypoint: plumes.waypoint.slice(from, to), values });
  }

  /** Takes the rows of the flight, `from` to `to` (not included), after a step. */
  add(plumes: PlumeTable, from: number, to: number, toMs: number): void {
    for (; (this.#timesMs[this.#next] ?? Number.POSITIVE_INFINITY) <= toMs; this.#next++)
      this.#look(plumes, from, to, toMs, this.#timesMs[this.#next] as number);
    this.#within.length = 0;
    for (let i = from; i < to; i++) {
      const waypoint = plumes.waypoint[i] as number;
      const energy = plumes.energyForcing[i] as number;
      if (!Number.isNaN(energy)) this.#energy[waypoint] = (this.#energy[waypoint] as number) + energy;
      this.#lastMs[waypoint] = toMs;
    }
    this.#endMs = toMs;
  }

  /** `energyForcing` of the whole lives tells which waypoints are unknown. */
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
    const totals = Float64Array.from(this.#soFar, (column) =>
      known(column).reduce((sum, energy) => (Number.isNaN(energy) ? sum : sum + energy), 0),
    );
    const soFar = known(this.#soFar.at(-1) ?? this.#energy);
    return { offsets, waypoint, values, soFar, totals, endMs: this.#endMs };
  }

  #look(plumes: PlumeTable, from: number, to: number, toMs: number, atMs: number): void {
    const soFar = this.#energy.slice();
    this.#soFar.push(soFar);
    if (atMs === toMs) this.seeWithin(plumes, from, to, toMs);
    const seen = this.#within.find(({ timeMs }) => timeMs === atMs);
    let k = 0;
    for (let i = from; i < to; i++) {
      const waypoint = plumes.waypoint[i] as number;
      const sinceMs = this.#lastMs[waypoint] as number;
      if (!(sinceMs < atMs)) continue;
      const share = (atMs - sinceMs) / (toMs - sinceMs);
      const energy = plumes.energyForcing[i] as number;
      if (!Number.isNaN(energy)) soFar[waypoint] = (soFar[waypoint] as number) + share * energy;
      while ((seen?.waypoint[k] as number) < waypoint) k++;
      if (seen?.waypoint[k] !== waypoint) continue;
      this.#rows[this.#next]?.waypoint.push(waypoint);
      this.#rows[this.#next]?.values.push(...seen.values.subarray(FIELDS * k, FIELDS * (k + 1)));
    }
  }
}
